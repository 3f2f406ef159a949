import type { Transaction } from '@tocsin/database';
import { isHostName } from '../domain/custom-domain.ts';
import type { Disruption } from '../domain/disruption.ts';
import { isSlug, type StatusPage } from '../domain/page.ts';
import { type PublicAddress, slugOfHost } from '../domain/public-url.ts';
import { listPageDisruptions } from '../storage/disruption-store.ts';
import { findPublicPage, findPublicPageAt } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';
import { type PageWithTree, withTree } from './status-pages.ts';

/** Everything that visitors see. */
export interface PublicPage extends PageWithTree {
  /** Open ones and those resolved lately, the latest first. */
  readonly disruptions: readonly Disruption[];
}

const SHOWN_AFTER_END_MS = 14 * 24 * 3_600_000;

/** How visitors call a page: by its slug, or by a host that is all its own. */
export type PublicName = { readonly slug: string } | { readonly host: string };

/** The page of that name; undefined for one that is disabled as for one that does not exist. */
export async function getPublicPage(
  { database, address, now }: Deps,
  name: PublicName,
): Promise<PublicPage | undefined> {
  const find = finder(name, address);
  // Visitors name no organization; what is read after this belongs to the page's.
  const page = find && (await database.transaction('every organization', find));
  if (!page) return undefined;
  const { id, organizationId } = page;
  return database.transaction({ organizationId }, async (tx) => {
    const since = new Date(now().getTime() - SHOWN_AFTER_END_MS);
    // In this order, because both change in between: a page that tells of a disruption must not be green for it.
    const disruptions = await listPageDisruptions(tx, organizationId, id, since);
    return { ...(await withTree(tx, page)), disruptions };
  });
}

/** Undefined for what can be no page's name, and is not asked of the database. */
function finder(
  name: PublicName,
  address: PublicAddress,
): ((tx: Transaction) => Promise<StatusPage | undefined>) | undefined {
  if ('slug' in name) return isSlug(name.slug) ? (tx) => findPublicPage(tx, name.slug) : undefined;
  const slug = slugOfHost(name.host, address);
  if (slug !== undefined) return finder({ slug }, address);
  return isHostName(name.host) ? (tx) => findPublicPageAt(tx, name.host) : undefined;
}
