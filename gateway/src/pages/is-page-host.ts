import { pageAddress } from './page-address.ts';
import type { PageCache } from './page-cache.ts';

/** Returns whether a host, other than the installation's own, serves a status page at its root. */
export async function isPageHost(cache: Pick<PageCache, 'get'>, host: string, baseUrl: string): Promise<boolean> {
  if (host === new URL(baseUrl).hostname) return false;
  const address = pageAddress(host, '/');
  return address !== undefined && (await cache.get(address)).kind === 'page';
}
