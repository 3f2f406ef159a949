import type { HttpRequest } from './http-request.ts';

/** Maximum length of a host name (RFC 1035 §3.1). */
const MAX_HOST = 253;

/** The next request, `none` if the response is not a redirect, or the reason why the redirect is not followed. */
export type Redirect = HttpRequest | 'none' | { readonly refused: string };

/**
 * Returns the request that follows a redirect response (RFC 9110 §15.4). Headers are not sent to another origin, except
 * to the same host with https instead of http. A redirect to another origin is not followed if the request has a body.
 */
export function redirected(request: HttpRequest, statusCode: number, location: string | undefined): Redirect {
  if (![301, 302, 303, 307, 308].includes(statusCode) || !location) return 'none';
  const url = URL.parse(location, request.url.href);
  if (!url) return { refused: 'what is not a valid URL' };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { refused: 'what is not an http or https URL' };
  if (url.hostname.length > MAX_HOST) return { refused: `a host name of more than ${MAX_HOST} characters` };
  const becomesGet = statusCode === 303 ? request.method !== 'HEAD' : statusCode < 303 && request.method === 'POST';
  const { method, body } = becomesGet ? { method: 'GET', body: undefined } : request;
  if (url.origin === request.url.origin || isUpgrade(request.url, url))
    return { url, method, headers: request.headers, body };
  return body === undefined
    ? { url, method, headers: {}, body }
    : { refused: 'another origin, to which the body is not sent' };
}

/** Whether a redirect leads from http to https on the same host, each on its default port. */
function isUpgrade(from: URL, to: URL): boolean {
  return from.origin === `http://${from.hostname}` && to.origin === `https://${from.hostname}`;
}
