import type { FetchOptions, Netguard } from '@tocsin/netguard';
import { either, fields, httpUrl, json, number, oneOf, Refusal, readAll, text, texts } from './readers.ts';

const MAX_BODY_BYTES = 256 * 1024;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

const options = fields({
  headers: texts,
  params: texts,
  form: texts,
  data: either(text, json),
  timeout: number,
  maxRedirects: number,
  method: oneOf(...METHODS),
});

interface Options {
  readonly headers?: Record<string, string>;
  readonly params?: Record<string, string>;
  readonly form?: Record<string, string>;
  readonly data?: unknown;
  readonly timeout?: number;
  readonly maxRedirects?: number;
  readonly method?: string;
}

/**
 * Sends the HTTP request of a call such as `request.get` or `request.post` through the guard. The cookies of pages are
 * not sent.
 */
export async function sendRequest(guard: Netguard, name: string, args: readonly unknown[]): Promise<unknown> {
  const [url, given = {}] = readAll([httpUrl, options], args) as [string | undefined, Options?];
  const method = name === 'fetch' ? (given.method ?? 'GET') : name.toUpperCase();
  if (!METHODS.includes(method)) throw new Refusal('is not there for synthetic checks');
  if (url === undefined) throw new Refusal('needs a URL');
  const target = new URL(url);
  for (const [key, value] of Object.entries(given.params ?? {})) target.searchParams.set(key, value);
  const response = await guard.fetch(target, { ...contentOf(given), method, ...boundsOf(given) });
  return {
    url: target.href,
    method,
    status: response.status,
    statusText: '',
    headers: response.headers,
    body: response.body,
  };
}

function boundsOf({ timeout, maxRedirects }: Options): FetchOptions {
  return {
    maxResponseBytes: MAX_BODY_BYTES,
    timeoutMs: Math.min(Math.max(timeout || 30_000, 1), 60_000),
    ...(maxRedirects !== undefined && { maxRedirects: Math.min(Math.max(maxRedirects, 0), 10) }),
  };
}

function contentOf({ headers = {}, form, data }: Options): FetchOptions {
  const typed = (type: string, body: string) => ({ headers: { 'content-type': type, ...headers }, body });
  if (form) return typed('application/x-www-form-urlencoded', new URLSearchParams(form).toString());
  if (typeof data === 'string') return { headers, body: data };
  return data === undefined ? { headers } : typed('application/json', JSON.stringify(data));
}
