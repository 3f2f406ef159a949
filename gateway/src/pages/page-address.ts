import type { PageAddress } from './page-cache.ts';

/** Maximum length of a host and of a path under which a page can be. */
const MAX_LENGTH = 255;

/**
 * Returns the address of the page at a host and a URL, without the query and a slash at the end; undefined if no page
 * can be there.
 */
export function pageAddress(host: string, url: string): PageAddress | undefined {
  if (!isPageUrl(url)) return undefined;
  const query = url.indexOf('?');
  const full = query === -1 ? url : url.slice(0, query);
  const path = full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
  if (host.length > MAX_LENGTH || path.length > MAX_LENGTH || host.includes('/')) return undefined;
  return { host: host.toLowerCase(), path };
}

function isPageUrl(url: string): boolean {
  return url.startsWith('/s/') || url === '/' || url === '/s' || url.startsWith('/?') || url.startsWith('/s?');
}
