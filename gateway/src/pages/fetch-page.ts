import { PAGE_HEADERS, PAGE_HOST_PATH, TLS_ASK_PATH } from '@tocsin/html';
import type { Tls } from '@tocsin/runtime';
import { connectService } from '../clients/service-pool.ts';
import type { Fetched, OtherResponse, PageAddress } from './page-cache.ts';

/** Response headers that are passed on from the statuspage service to visitors. */
const RETURNED = [
  'access-control-allow-origin',
  'cache-control',
  'content-language',
  'content-security-policy',
  'content-type',
  'link',
  'location',
  'permissions-policy',
  'referrer-policy',
  'retry-after',
  'x-content-type-options',
  'x-frame-options',
  'x-robots-tag',
];

/** Maximum size of a response from the statuspage service, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

const TIMEOUT_MS = 5_000;

export interface PageSource extends AsyncDisposable {
  /** Requests a page. `version` is the version of the stored page. Never rejects. */
  fetch(address: PageAddress, version: string | undefined): Promise<Fetched>;
  /** Returns whether a host belongs to one page; undefined if the service does not respond. Never rejects. */
  isPageHost(host: string): Promise<boolean | undefined>;
  /**
   * Returns whether a TLS proxy may request a certificate for a domain; undefined if the service does not respond.
   * Never rejects.
   */
  mayHaveCertificate(domain: string): Promise<boolean | undefined>;
}

/** Returns a client for the statuspage service at `url`. `onError` is called if the service does not respond. */
export function connectPageSource(url: string, onError: (error: unknown) => void, tls?: Tls): PageSource {
  const options = { connections: 64, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS };
  const pool = connectService(url, options, tls);

  /** Sends a request whose response has no body; undefined if the service does not respond. */
  async function ask(path: string) {
    try {
      const { statusCode, headers, body } = await pool.request({ method: 'GET', path });
      await body.dump();
      return statusCode >= 500 ? undefined : { statusCode, headers };
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  return {
    async fetch({ host, path }, version) {
      try {
        const conditional = version === undefined ? undefined : { 'if-none-match': `"${version}"` };
        const headers = { 'x-forwarded-host': host, ...conditional };
        const response = await pool.request({ method: 'GET', path, headers });
        return toFetched(response.statusCode, response.headers, await readBody(response.body));
      } catch (error) {
        onError(error);
        return { kind: 'failed' };
      }
    },
    async isPageHost(host) {
      const response = await ask(`${PAGE_HOST_PATH}?${new URLSearchParams({ host })}`);
      // A service of an older version does not know the path. Each host then has its own copies of pages.
      return response && response.headers[PAGE_HEADERS.isPageHost] !== 'no';
    },
    async mayHaveCertificate(domain) {
      const response = await ask(`${TLS_ASK_PATH}?${new URLSearchParams({ domain })}`);
      return response && response.statusCode === 200;
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function toFetched(status: number, headers: Headers, body: Buffer): Fetched {
  const text = (name: string) => [headers[name] ?? ''].flat()[0] ?? '';
  const validMs = Number(text(PAGE_HEADERS.validMs)) || 0;
  if (status === 304) return { kind: 'unchanged', validMs };
  const returned = Object.fromEntries(RETURNED.flatMap((name) => (headers[name] ? [[name, text(name)]] : [])));
  const response: OtherResponse = { status, headers: returned, body };
  if (status >= 500) return { kind: 'failed', response };
  const [pageId, organizationId] = [text(PAGE_HEADERS.pageId), text(PAGE_HEADERS.organizationId)];
  const version = /^"(.+)"$/.exec(text('etag'))?.[1];
  const checkedAt = text(PAGE_HEADERS.checkedAt) || undefined;
  if (status !== 200 || !pageId || !version) return { kind: 'other', response };
  return { kind: 'page', page: { pageId, organizationId, version, checkedAt, headers: returned, body }, validMs };
}

/**
 * Reads a body.
 * @throws Error if it is too large.
 */
async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`the page is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
