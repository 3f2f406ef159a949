import type { Socket } from 'node:net';
import { Client } from 'undici';
import { withDeadline } from './deadline.ts';
import type { Destination } from './dial.ts';
import type { KeptClients } from './kept-clients.ts';
import { redirected } from './redirect.ts';

export interface FetchOptions {
  /** HTTP method. Defaults to GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Milliseconds for all hops together, from name resolution to the last byte of the body. Defaults to 10,000 ms. */
  readonly timeoutMs?: number;
  /** Milliseconds for each hop to resolve the name and connect, including TLS. Defaults to `timeoutMs`. */
  readonly connectTimeoutMs?: number;
  /**
   * Milliseconds to read the body, after which the body is cut off. With this option, a slow, broken or endless body is
   * not an error. Without it, the body must arrive within `timeoutMs`.
   */
  readonly bodyTimeoutMs?: number;
  /**
   * Maximum number of redirects. A redirect beyond it is returned as the response. Defaults to 5 for GET and HEAD, and
   * to 0 for other methods.
   */
  readonly maxRedirects?: number;
  /** Maximum size of the body, in bytes. The rest is not read. Defaults to 65,536. */
  readonly maxResponseBytes?: number;
  /** How the body is decoded. Latin-1 preserves each byte as one character. Defaults to UTF-8. */
  readonly bodyEncoding?: BodyEncoding;
  /**
   * Whether to reuse an open connection of this guard, and to keep the connection open. If a reused connection ends
   * without a response, the request is sent again on a new connection, so it may arrive twice. By default, each request
   * has a new connection.
   */
  readonly keepAlive?: boolean;
}

type BodyEncoding = 'utf-8' | 'latin1';

export interface FetchResponse {
  readonly status: number;
  /** Values by lower-case name; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded body, cut off at `maxResponseBytes`. */
  readonly body: string;
  readonly truncated: boolean;
}

/** A request in a chain of redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

export type Dialer = (destination: Destination, signal: AbortSignal) => Promise<Socket>;

/** Maximum milliseconds for which an idle connection stays open, even if the receiver offers a longer time. */
const MAX_IDLE_MS = 30_000;
const DEFAULT_MAX_REDIRECTS = 5;
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024;

/** Sends a request and follows redirects. The address of each hop is vetted. */
export async function guardedFetch(
  url: URL,
  options: FetchOptions & { readonly timeoutMs: number },
  { dialer, connections: kept }: { readonly dialer: Dialer; readonly connections: KeptClients },
  signal: AbortSignal,
): Promise<FetchResponse> {
  const { method = 'GET', headers = {}, body = null, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  const connections = options.keepAlive ? kept : undefined;
  const repeatable = method === 'GET' || method === 'HEAD';
  const { maxRedirects = repeatable ? DEFAULT_MAX_REDIRECTS : 0 } = options;
  let hop: Hop = { url, method, headers, body };
  for (let redirectsLeft = maxRedirects; ; redirectsLeft--) {
    const response = await exchange(hop, { ...options, connections, maxResponseBytes }, dialer, signal);
    const next = redirectsLeft > 0 ? redirected(hop, response) : undefined;
    if (!next) return response;
    hop = next;
  }
}

/**
 * Parses a URL that `fetch` accepts.
 * @throws TypeError without the text of the URL, because webhook paths are secret.
 */
export function parseHttpUrl(url: string | URL): URL {
  const parsed = URL.parse(String(url));
  if (!parsed) throw new TypeError('the URL cannot be read; write it as https://host/path');
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') {
    throw new TypeError(`the URL of ${parsed.host} must start with https: or http:, not ${parsed.protocol}`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError(`the URL of ${parsed.host} must not carry credentials; send them in the Authorization header`);
  }
  return parsed;
}

type ExchangeOptions = Pick<FetchOptions, 'connectTimeoutMs' | 'bodyTimeoutMs' | 'bodyEncoding'> & {
  readonly connections: KeptClients | undefined;
  readonly maxResponseBytes: number;
  readonly timeoutMs: number;
};

async function exchange(
  hop: Hop,
  options: ExchangeOptions,
  dialer: Dialer,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const { connections } = options;
  const kept = connections?.take(hop.url.origin);
  if (kept) {
    try {
      return await exchangeOn(kept, hop, options, signal);
    } catch (error) {
      // Continue with a new connection only if the reused connection was closed before the response.
      if (!isClosed(error) || signal.aborted) throw error;
    }
  }
  const client = newClient(hop.url, options, dialer, signal);
  return exchangeOn({ client, connectedAt: performance.now() }, hop, options, signal);
}

/** Returns a client that opens only one connection. */
function newClient(url: URL, { connectTimeoutMs }: ExchangeOptions, dialer: Dialer, signal: AbortSignal): Client {
  const secure = url.protocol === 'https:';
  const destination: Destination = {
    host: url.hostname,
    port: Number(url.port) || (secure ? 443 : 80),
    tls: secure && { ALPNProtocols: ['http/1.1'] },
  };
  const dialInTime = () =>
    connectTimeoutMs === undefined
      ? dialer(destination, signal)
      : withDeadline(url.origin, { timeoutMs: connectTimeoutMs, signal }, (deadline) => dialer(destination, deadline));
  let hasDialled = false;
  const client = new Client(url.origin, {
    keepAliveMaxTimeout: MAX_IDLE_MS,
    connect: (_options, callback) => {
      // Refuse a second connection, because it would use the timeouts of the request that created the client.
      if (hasDialled) return callback(new ClosedConnectionError(), null);
      hasDialled = true;
      dialInTime().then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  });
  client.once('disconnect', () => void client.destroy().catch(() => undefined));
  return client;
}

/**
 * Sends a request on a client's connection. Leaves the connection open for reuse if `connections` is set and the whole
 * response was read.
 */
async function exchangeOn(
  kept: { readonly client: Client; readonly connectedAt: number },
  { url, method, headers, body }: Hop,
  { maxResponseBytes, bodyTimeoutMs, bodyEncoding, timeoutMs, connections }: ExchangeOptions,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const { client } = kept;
  let isReusable = false;
  try {
    const path = url.pathname + url.search;
    const reset = connections === undefined;
    const send = (until: AbortSignal) => client.request({ method, path, headers, body, signal: until, reset });
    const response = await (bodyTimeoutMs === undefined
      ? send(signal)
      : withDeadline(url.origin, { timeoutMs, signal }, send));
    const read = await readBounded(response.body, { maxResponseBytes, bodyTimeoutMs, bodyEncoding });
    isReusable = !read.truncated;
    return { status: response.statusCode, headers: flatten(response.headers), ...read };
  } finally {
    if (connections && isReusable) connections.give(url.origin, kept);
    else await client.destroy();
  }
}

const CLOSED_CODES = new Set(['UND_ERR_SOCKET', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'ECONNRESET', 'EPIPE']);

class ClosedConnectionError extends Error {
  constructor() {
    super('the connection was closed');
  }
}

/** Returns whether an error means that the connection was closed before the response. */
function isClosed(error: unknown): boolean {
  if (error instanceof ClosedConnectionError) return true;
  return error instanceof Error && 'code' in error && CLOSED_CODES.has(String(error.code));
}

async function readBounded(
  stream: AsyncIterable<Uint8Array> & { destroy(): void },
  {
    maxResponseBytes: maxBytes,
    bodyTimeoutMs: timeoutMs,
    bodyEncoding,
  }: Pick<ExchangeOptions, 'maxResponseBytes' | 'bodyTimeoutMs' | 'bodyEncoding'>,
): Promise<{ body: string; truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stream.destroy(), timeoutMs);
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    if (timeoutMs === undefined) throw error;
    isCut = true;
  } finally {
    clearTimeout(timer);
  }
  const truncated = isCut || size > maxBytes;
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  if (bodyEncoding === 'latin1') return { body: bytes.toString('latin1'), truncated };
  // In stream mode, the decoder omits a character that is incomplete at the cut.
  return { body: new TextDecoder().decode(bytes, { stream: truncated }), truncated };
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
