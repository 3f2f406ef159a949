import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentVersion, showAsOf } from '@tocsin/html';
import { SAFE_HEADERS } from '../plugins/security-headers.ts';

/** Encodings in which pages are stored, best first. */
export const PAGE_ENCODINGS = ['br', 'gzip'] as const;

export type PageEncoding = (typeof PAGE_ENCODINGS)[number] | 'identity';

/** A page as the statuspage service rendered it. */
export interface RenderedPage {
  readonly pageId: string;
  readonly organizationId: string;
  /** ETag without quotes. */
  readonly version: string;
  /** Time of the last check that the page shows. */
  readonly checkedAt: string | undefined;
  /** Response headers that do not depend on the encoding. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Body and headers of a response that is ready to be sent. */
export interface ReadyResponse {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Alternating names and values of the headers, the form that Node sends fastest. */
  readonly headerList: readonly string[];
  /**
   * The bytes as a Latin-1 string: Node sends headers and a string in one system call, but not headers and a buffer.
   */
  readonly body: string;
}

/** A rendering of a page in all encodings. */
export interface Rendering {
  /** Weak ETag, because all encodings share it (RFC 9110 §8.8.1). */
  readonly etag: string;
  /** Response to a visitor who has this rendering already. */
  readonly notModified: ReadyResponse;
  readonly responses: Readonly<Record<PageEncoding, ReadyResponse>>;
  /** Size in bytes of all bodies. */
  readonly bytes: number;
}

/** Quality 7 compresses much better than the quality for single responses, and still takes only milliseconds. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };

/** Compresses a page once for all responses. `changedAt` is the time of its last change. */
export function render(page: RenderedPage, changedAt: Date): Promise<Rendering> {
  return encode(page.version, page, page.body, changedAt);
}

/** Renders a page with the notice that it was current at `at` and may be outdated. Only HTML has this notice. */
export function renderAsOf(page: RenderedPage, at: Date): Promise<Rendering> {
  const isHtml = page.headers['content-type']?.startsWith('text/html');
  if (!isHtml) return render(page, at);
  const body = Buffer.from(showAsOf(page.body.toString(), at));
  return encode(`${contentVersion(page.version)}-${at.getTime().toString(36)}`, page, body, at);
}

async function encode(
  version: string,
  { headers }: RenderedPage,
  identity: Buffer,
  changedAt: Date,
): Promise<Rendering> {
  const [br, gzipped] = await Promise.all([
    promisify<Buffer, object, Buffer>(brotliCompress)(identity, {
      params: { ...brotli.params, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length },
    }),
    promisify<Buffer, Buffer>(gzip)(identity),
  ]);
  const etag = `W/"${version}"`;
  const shared = {
    ...SAFE_HEADERS,
    ...headers,
    etag,
    'last-modified': changedAt.toUTCString(),
    vary: 'accept-encoding',
  };
  const response = (body: Buffer, encoding?: string): ReadyResponse => ({
    ...withHeaders({
      ...shared,
      ...(encoding && { 'content-encoding': encoding }),
      'content-length': String(body.length),
    }),
    status: 200,
    body: body.toString('latin1'),
  });
  const { 'content-type': _, ...notModified }: Record<string, string> = shared;
  return {
    etag,
    notModified: { ...withHeaders(notModified), status: 304, body: '' },
    responses: { br: response(br, 'br'), gzip: response(gzipped, 'gzip'), identity: response(identity) },
    bytes: identity.length + br.length + gzipped.length,
  };
}

function withHeaders(headers: Readonly<Record<string, string>>): Pick<ReadyResponse, 'headers' | 'headerList'> {
  return { headers, headerList: Object.entries(headers).flat() };
}
