import { isSlug } from './page.ts';

/**
 * File next to the folders of the pages. It contains the time of its last update, and the ids of the pages whose
 * snapshots were outdated at that time.
 */
export const ALIVE_FILE = 'alive.json';

/** Paths of the files in a page's folder. */
const PATH =
  /^(?:index\.html|badge\.svg|history\.(?:rss|atom)|history\/\d{4}-\d{2}\.html|api\/v2(?:\/[a-z-]+){1,2}\.json|logo\/[0-9a-f]{32}\.[a-z]+|preview\/[a-z_]+\.png)$/;

/**
 * Returns the key of a file in a page's folder.
 * @throws TypeError if the slug or the path can not be part of a snapshot. A key never leads out of the page's folder.
 */
export function snapshotKey(slug: string, path: string): string {
  if (!isSlug(slug) || !PATH.test(path)) throw new TypeError(`${slug}/${path} can not be a file of a snapshot`);
  return `${slug}/${path}`;
}

/** Returns whether a key can belong to a snapshot file. Other files in the store are left unchanged. */
export function isSnapshotKey(key: string): boolean {
  const slash = key.indexOf('/');
  return isSlug(key.slice(0, slash)) && PATH.test(key.slice(slash + 1));
}
