import type { PageAddress } from './page-cache.ts';

/** Paths of pages by slug, and paths of a page and its machine-readable formats on the page's own host. */
export const PAGE_ROUTES = [
  '/',
  '/s',
  '/s/*',
  '/api/v2/*',
  '/components/*',
  '/history',
  '/history/*',
  '/incidents/*',
  '/logo/*',
  '/preview/*',
  '/subscribe',
  '/subscribe/*',
  '/badge.svg',
  '/embed',
  '/history.atom',
  '/history.rss',
  '/maintenance.ics',
  '/robots.txt',
  '/sitemap.xml',
] as const;

const FILES: ReadonlySet<string> = new Set(PAGE_ROUTES);
const FOLDERS = PAGE_ROUTES.filter((route) => route.endsWith('*')).map((route) => route.slice(0, -1));

/** Maximum length of a page's host, and of its path. */
const MAX_LENGTH = 255;

/**
 * Returns the address of the page for a host and a URL, without the query or a trailing slash. Returns undefined if no
 * page can have this address.
 */
export function pageAddress(host: string, url: string): PageAddress | undefined {
  const query = url.indexOf('?');
  const full = query === -1 ? url : url.slice(0, query);
  const path = full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
  if (!isPageUrl(path)) return undefined;
  if (host.length > MAX_LENGTH || path.length > MAX_LENGTH || host.includes('/')) return undefined;
  return { host: host.toLowerCase(), path };
}

function isPageUrl(path: string): boolean {
  return FILES.has(path) || FOLDERS.some((folder) => path.startsWith(folder));
}
