import { createHash } from 'node:crypto';
import type { Theme } from '@tocsin/enums';
import { Html, html } from '@tocsin/html';
import { parseHttpUrl } from '@tocsin/text';
import { STYLES } from './styles.ts';

export interface Shell {
  readonly title: string;
  readonly description?: string | undefined;
  readonly theme: Theme;
  /** Color as `#RRGGBB`. */
  readonly accent?: string | undefined;
  readonly scripts?: readonly string[];
  /** Whether the document is replaced while it is open. It then needs LIVE_SCRIPT. */
  readonly isLive?: boolean;
  /** URLs of the images in the body. */
  readonly images?: readonly string[];
  readonly body: Html;
}

/** A complete document, with the content security policy that allows only its own scripts. */
export interface Document {
  readonly text: string;
  /** Hash of the content. */
  readonly version: string;
  readonly contentSecurityPolicy: string;
}

export function pageShell({
  title,
  description,
  theme,
  accent,
  scripts = [],
  isLive,
  images = [],
  body,
}: Shell): Document {
  const styles = accent === undefined ? [STYLES] : [STYLES, `:root { --accent: ${accentOf(accent)}; }`];
  const document = html`<!doctype html>
<html lang="en" data-theme="${theme}"${isLive ? VERSION : undefined}>
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  ${description ? html`<meta name="description" content="${description}">` : undefined}
  ${styles.map((style) => inline('style', style))}${scripts.map((text) => inline('script', text))}
</head>
<body>${body}
</body>
</html>
`;
  const policy = {
    'default-src': ["'none'"],
    'style-src': styles.map(hashOf),
    'script-src': scripts.length > 0 ? scripts.map(hashOf) : ["'none'"],
    ...(isLive && { 'connect-src': ["'self'"] }),
    'img-src': originsOf(images),
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  const contentSecurityPolicy = Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join('; ');
  return { ...withVersion(document.toString()), contentSecurityPolicy };
}

/** Attribute in which a live document names its version. A text of a tenant can't come before it. */
const VERSION = new Html(' data-version=""');

/** Computes the version of a document, and inserts it into a live document. */
function withVersion(text: string): Pick<Document, 'text' | 'version'> {
  const version = createHash('sha256').update(text).digest('base64url');
  return { text: text.replace(String(VERSION), ` data-version="${version}"`), version };
}

/**
 * Returns the origins of a page's images. URLs are parsed strictly, because other characters in a host could end the
 * directive.
 */
function originsOf(images: readonly string[]): string[] {
  const origins = images.flatMap((url) => parseHttpUrl(url)?.origin ?? []);
  return origins.length > 0 ? [...new Set(origins)] : ["'none'"];
}

/** Renders a style or script element. Its content is not escaped, so it must come from this folder only. */
function inline(element: 'style' | 'script', text: string): Html {
  return new Html(`<${element}>${text}</${element}>`);
}

/**
 * Returns the accent color, the only part of a style sheet that an owner chooses.
 * @throws TypeError for another string.
 */
function accentOf(color: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(color)) throw new TypeError('the accent is not a #RRGGBB color');
  return color;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
