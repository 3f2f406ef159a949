/** Background for which a page has a logo. */
export type LogoVariant = 'light' | 'dark';

/** Image formats of logos, which are also the extensions of their files. */
export type LogoFormat = 'gif' | 'jpeg' | 'png' | 'svg' | 'webp';

/** A stored logo. */
export interface Logo {
  /** First 32 hex digits of the SHA-256 hash of the image. */
  readonly hash: string;
  readonly format: LogoFormat;
}

/** Stored logos of a page. A logo is absent while there is no image at its URL. */
export type PageLogos = Readonly<Partial<Record<LogoVariant, Logo>>>;

export const MAX_LOGO_BYTES = 100_000;

const DAY_MS = 24 * 3_600_000;
const FIRST_RETRY_MS = 5 * 60_000;

/** Returns the milliseconds until a logo is fetched again, after `failures` failures in a row. */
export function logoPause(failures: number): number {
  return failures === 0 ? DAY_MS : Math.min(DAY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
}

/** Returns the path of a logo below its page's address. */
export function logoPath({ hash, format }: Logo): string {
  return `logo/${hash}.${format}`;
}

/** Returns the logo that a path below a page's address names; undefined for other paths. */
export function logoAtPath(path: string): Logo | undefined {
  const [, hash, format] = /^logo\/([0-9a-f]{32})\.(gif|jpeg|png|svg|webp)$/.exec(path) ?? [];
  // The pattern allows only these formats.
  return hash === undefined ? undefined : { hash, format: format as LogoFormat };
}

/** Returns the format of an image by its first bytes; undefined for other formats. */
export function logoFormatOf(bytes: Uint8Array): LogoFormat | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'webp';
  return isSvg(bytes) ? 'svg' : undefined;
}

/** The root element of an SVG must begin within this number of bytes. */
const SVG_HEAD = 4_096;

/** Returns whether a file is an SVG. The root element may follow an XML declaration, comments and a document type. */
function isSvg(bytes: Uint8Array): boolean {
  let rest = new TextDecoder().decode(bytes.subarray(0, SVG_HEAD)).trimStart();
  while (!/^<svg[\s>]/.test(rest)) {
    // One expression for all parts would take exponential time on some files.
    const part = /^(?:<\?[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>)/.exec(rest)?.[0];
    if (part === undefined) return false;
    rest = rest.slice(part.length).trimStart();
  }
  return true;
}
