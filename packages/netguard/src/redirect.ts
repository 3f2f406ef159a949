import type { FetchResponse, Hop } from './guarded-fetch.ts';

const TRAVELS_TO_ANOTHER_ORIGIN = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** Returns the request that follows a redirect; undefined if the response is not a redirect or must not be followed. */
export function redirected(hop: Hop, { status, headers }: FetchResponse): Hop | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined;
  const url = URL.parse(headers.location, hop.url.href);
  if (!url || !staysAsSafe(hop.url, url)) return undefined;
  const kept =
    url.origin === hop.url.origin ? hop.headers : pick(hop.headers, (name) => TRAVELS_TO_ANOTHER_ORIGIN.has(name));
  if (!becomesGet(status, hop.method)) return { ...hop, url, headers: kept };
  return { url, method: 'GET', headers: pick(kept, (name) => !name.startsWith('content-')), body: null };
}

function staysAsSafe(from: URL, to: URL): boolean {
  return to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
}

/** Returns whether a redirect changes the method to GET (Fetch standard, HTTP-redirect fetch, step 12). */
function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

function pick(headers: Hop['headers'], wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => wanted(name.toLowerCase())));
}
