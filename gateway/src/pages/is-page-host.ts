import { pageAddress } from './page-address.ts';
import type { PageCache } from './page-cache.ts';

/** Returns whether a status page is served at the root of a host other than that of the installation. */
export async function isPageHost(cache: Pick<PageCache, 'get'>, host: string, baseUrl: string): Promise<boolean> {
  if (host === new URL(baseUrl).hostname) return false;
  const address = pageAddress(host, '/');
  return address !== undefined && (await cache.get(address)).kind === 'page';
}
