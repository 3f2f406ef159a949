import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { CliError, EXIT, NoResponseError, RefusedError } from '../errors.ts';
import { get, isObject, type JsonObject, objectsOf, textOf } from '../json.ts';

/** Provides the token for requests. */
export interface TokenSource {
  token(): Promise<string>;
  /** Returns a new token in place of a token that the API refused; undefined if the credential can't be renewed. */
  renewed(refused: string): Promise<string | undefined>;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Options {
  readonly body?: object | undefined;
  /** Idempotency key of a POST. By default, each POST gets a new key. */
  readonly idempotencyKey?: string;
}

/** Client for an installation's REST API. */
export interface Client {
  readonly baseUrl: string;
  /** Sends a request and returns the body of the response; undefined if it has none. */
  send(method: Method, path: string, options?: Options): Promise<unknown>;
  /** Sends a request and returns the resource in the response. */
  data(method: Method, path: string, options?: Options): Promise<JsonObject>;
  /** Reads all pages of a list and returns the resources. */
  list(path: string): Promise<JsonObject[]>;
}

/** Timeout of a request. It is long enough for an on-demand check, which is the slowest request. */
const TIMEOUT_MS = 90_000;
const MAX_ATTEMPTS = 6;
/**
 * Longest accepted `retry-after`. It is slightly longer than the window of the API's rate limits, which is one minute.
 */
const MAX_WAIT_MS = 65_000;
const PAGE_SIZE = 1_000;

export function createClient(baseUrl: string, tokens: TokenSource, context: Context): Client {
  async function send(method: Method, path: string, options: Options = {}): Promise<unknown> {
    return (await respond(method, `${baseUrl}/api/v1${path}`, options)).body;
  }

  async function respond(method: Method, url: string, { body, idempotencyKey }: Options): Promise<Reply> {
    const key = method === 'POST' ? (idempotencyKey ?? randomUUID()) : undefined;
    let token = await tokens.token();
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const reply = await attemptRequest(method, url, { body, key, token }, context).catch((error: unknown) => {
        if (!(error instanceof NoResponseError)) throw error;
        // Only reads, and creations with an idempotency key, can be repeated.
        if (attempt === MAX_ATTEMPTS || (method !== 'GET' && key === undefined)) throw error;
        return undefined;
      });
      if (reply === undefined) {
        await context.sleep(500 * 2 ** (attempt - 1));
        continue;
      }
      if (reply.status === 401 && !renewed) {
        renewed = true;
        const next = await tokens.renewed(token);
        if (next !== undefined) {
          token = next;
          continue;
        }
      }
      const wait = attempt < MAX_ATTEMPTS ? waitBefore(method, reply, key) : undefined;
      if (wait === undefined) return accepted(reply, url);
      await context.sleep(wait);
    }
  }

  return {
    baseUrl,
    send,
    async data(method, path, options) {
      const data = get(await send(method, path, options), 'data');
      if (!isObject(data)) throw notTocsin(baseUrl);
      return data;
    },
    async list(path) {
      const resources: JsonObject[] = [];
      let next: string | undefined = `${baseUrl}/api/v1${path}${path.includes('?') ? '&' : '?'}limit=${PAGE_SIZE}`;
      while (next !== undefined) {
        const { body, headers }: Reply = await respond('GET', next, {});
        if (!Array.isArray(get(body, 'data'))) throw notTocsin(baseUrl);
        resources.push(...objectsOf(get(body, 'data')));
        next = nextPage(headers.get('link'), baseUrl, next);
      }
      return resources;
    },
  };
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends one request. Throws an error with the exit code `unreachable` if there is no response. */
async function attemptRequest(
  method: Method,
  url: string,
  { body, key, token }: { body: object | undefined; key: string | undefined; token: string },
  { signal }: Context,
): Promise<Reply> {
  const headers = {
    accept: 'application/json',
    'user-agent': 'tocsin-cli',
    ...(token !== '' && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  return request(url, { method, headers, ...(body && { body: JSON.stringify(body) }) }, signal);
}

/**
 * Sends a request and reads the response. A redirect is an error, because the credential must not reach another host.
 */
export async function request(url: string, init: RequestInit, signal: AbortSignal): Promise<Reply> {
  let status: number;
  let headers: Headers;
  let text: string;
  try {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(url, { ...init, redirect: 'manual', signal: limits });
    ({ status, headers } = response);
    text = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    throw new NoResponseError(`${new URL(url).origin} can't be reached: ${reasonOf(error)}.`);
  }
  if (status >= 300 && status < 400) {
    const location = headers.get('location') ?? 'another address';
    throw new CliError(EXIT.unreachable, `${url} redirects to ${location}. Use the URL of the installation itself.`);
  }
  return { status, headers, body: parsed(text) };
}

/** Returns the reason why fetch failed. fetch puts it into the `cause` of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} seconds`;
  const { cause } = error;
  return cause instanceof Error ? cause.message || textOf(get(cause, 'code')) : error.message;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the milliseconds to wait before the request is sent again; undefined if it is not sent again. */
function waitBefore(method: Method, { status, headers, body }: Reply, key: string | undefined): number | undefined {
  const repeatable =
    status === 429 ||
    // Without the key, the request may be executed twice.
    (status === 503 && (method === 'GET' || key !== undefined)) ||
    // An earlier request with the same idempotency key is still running.
    (status === 409 && key !== undefined && textOf(get(get(body, 'error'), 'message')).includes('Idempotency-Key'));
  if (!repeatable) return undefined;
  const seconds = Number(headers.get('retry-after') ?? 1);
  const wait = (Number.isFinite(seconds) ? Math.max(seconds, 1) : 1) * 1000;
  return wait <= MAX_WAIT_MS ? wait : undefined;
}

function accepted(reply: Reply, url: string): Reply {
  const { status, body } = reply;
  if (status >= 200 && status < 300) return reply;
  const error = get(body, 'error');
  const message = textOf(get(error, 'message'));
  if (status >= 500) {
    throw new CliError(EXIT.unreachable, `${new URL(url).origin} returned ${status}${message && `: ${message}`}.`);
  }
  if (message === '') {
    throw new CliError(
      EXIT.unreachable,
      `${url} returned ${status}, but not as the API of Tocsin does. Is the URL right?`,
    );
  }
  throw new RefusedError(status, message, fieldsOf(get(error, 'errors')));
}

function fieldsOf(errors: unknown): Record<string, string[]> {
  if (!isObject(errors)) return {};
  return Object.fromEntries(
    Object.entries(errors).map(([field, reasons]) => [field, Array.isArray(reasons) ? reasons.map(String) : []]),
  );
}

/** Returns the URL of the next page. The link's host is ignored, because the credential must not reach another host. */
function nextPage(link: string | null, baseUrl: string, current: string): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  const url = new URL(current);
  url.search = new URL(target, baseUrl).search;
  return url.href;
}

function notTocsin(baseUrl: string): CliError {
  return new CliError(EXIT.unreachable, `${baseUrl} did not respond as the API of Tocsin does. Is the URL right?`);
}
