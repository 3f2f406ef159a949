import type { Disruption } from '../domain/disruption.ts';
import { isSlug } from '../domain/page.ts';
import { listPageDisruptions } from '../storage/disruption-store.ts';
import { findPublicPage } from '../storage/page-store.ts';
import { type PageWithTree, withTree } from './page-with-tree.ts';
import type { Deps } from './ports.ts';

/** Everything that visitors see. */
export interface PublicPage extends PageWithTree {
  /** Open ones and those resolved lately, the latest first. */
  readonly disruptions: readonly Disruption[];
}

const SHOWN_AFTER_END_MS = 14 * 24 * 3_600_000;

/** The page under a slug; undefined for one that is disabled as for one that does not exist. */
export async function getPublicPage(
  { database, now }: Deps,
  { slug }: { slug: string },
): Promise<PublicPage | undefined> {
  if (!isSlug(slug)) return undefined;
  // Visitors name no organization; what is read after this belongs to the page's.
  const page = await database.transaction('every organization', (tx) => findPublicPage(tx, slug));
  if (!page) return undefined;
  const { id, organizationId } = page;
  return database.transaction({ organizationId }, async (tx) => {
    const since = new Date(now().getTime() - SHOWN_AFTER_END_MS);
    return { ...(await withTree(tx, page)), disruptions: await listPageDisruptions(tx, organizationId, id, since) };
  });
}
