import type { PageAddress } from './page-cache.ts';

/** Paths of pages by slug, and of a page and its formats for machines on the page's own host. */
export const PAGE_ROUTES = [
  '/',
  '/s',
  '/s/*',
  '/api/v2/*',
  '/components/*',
  '/history',
  '/history/*',
  '/incidents/*',
  '/badge.svg',
  '/history.atom',
  '/history.rss',
  '/maintenance.ics',
  '/robots.txt',
  '/sitemap.xml',
] as const;

const FILES: ReadonlySet<string> = new Set(PAGE_ROUTES);
const FOLDERS = PAGE_ROUTES.filter((route) => route.endsWith('*')).map((route) => route.slice(0, -1));

/** Maximum length of a host and of a path under which a page can be. */
const MAX_LENGTH = 255;

/**
 * Returns the address of the page at a host and a URL, without the query and a slash at the end; undefined if no
 * page can be there.
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
