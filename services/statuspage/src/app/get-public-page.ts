import type { Transaction } from '@tocsin/database';
import { isHostName } from '../domain/custom-domain.ts';
import type { PageDisruptions, Selection } from '../domain/disruption.ts';
import type { LastChecks } from '../domain/last-checks.ts';
import type { PageLogos } from '../domain/logo.ts';
import { isSlug, type StatusPage } from '../domain/page.ts';
import { type PublicAddress, slugOfHost } from '../domain/public-url.ts';
import type { MonitorCondition } from '../domain/shown-status.ts';
import { SHOWN_AFTER_END_MS, validFor } from '../domain/valid-for.ts';
import { listPageDisruptions } from '../storage/disruption-store.ts';
import { findPageLogos } from '../storage/logo-store.ts';
import { findMonitorConditions } from '../storage/monitor-condition-store.ts';
import { findPublicPage, findPublicPageAt } from '../storage/page-store.ts';
import { findRenamedPage } from '../storage/released-slug-store.ts';
import { isPageHost } from './custom-domains.ts';
import { withLastChecks } from './last-rounds.ts';
import type { Deps } from './ports.ts';
import { type PageWithTree, withTree } from './status-pages.ts';

/** Content of a public page. */
export interface PublicPage extends PageWithTree {
  readonly disruptions: PageDisruptions;
  /** Last known condition of each linked monitor, by monitor id. */
  readonly monitors: ReadonlyMap<string, MonitorCondition>;
  readonly lastChecks: LastChecks;
  readonly logos: PageLogos;
  /**
   * Milliseconds until the content changes even if no data changes. Changes to the displayed time of the last checks do
   * not count.
   */
  readonly unchangedMs: number;
  /**
   * Milliseconds for which the content may be cached if no data changes. Shorter than `unchangedMs` if necessary, so
   * that the displayed time of the last checks is recent.
   */
  readonly validMs: number;
}

/** Public name of a page: its slug, or a host that serves only this page. */
export type PublicName = { readonly slug: string } | { readonly host: string };

/**
 * Returns the page with this name and the selected disruptions. By default, all open and recently ended disruptions are
 * selected. Returns undefined if the page is disabled or does not exist.
 */
export async function getPublicPage(
  deps: Deps,
  name: PublicName,
  selection?: Selection,
): Promise<PublicPage | undefined> {
  const { database, address, now } = deps;
  const find = finder(name, address);
  // A visitor belongs to no organization, so search the pages of all organizations. The queries after this one are
  // limited to the page's organization.
  const page = find && (await database.transaction('every organization', find));
  if (!page) return undefined;
  const { id, organizationId } = page;
  const { conditions, ...read } = await database.transaction({ organizationId }, async (tx) => {
    const selected = selection ?? { since: new Date(now().getTime() - SHOWN_AFTER_END_MS) };
    // Read the disruptions before the components. With the reverse order, a disruption that starts between the two
    // reads would be shown, but its components would still be operational.
    const disruptions = await listPageDisruptions(tx, organizationId, id, selected);
    const found = await findMonitorConditions(tx, { organizationId, pageId: id });
    const logos = await findPageLogos(tx, { organizationId, pageId: id });
    return { ...(await withTree(tx, page)), disruptions, logos, conditions: found };
  });
  // The call to another service must not keep a database connection busy.
  const { changes, ...checked } = await withLastChecks(deps, { organizationId, pageId: id }, conditions);
  const { shown } = read.disruptions;
  return {
    ...read,
    ...checked,
    validMs: validFor(shown, now(), changes),
    unchangedMs: validFor(shown, now(), changes, Number.POSITIVE_INFINITY),
  };
}

/**
 * Returns the page at an address, if visitors may subscribe to it. A host that belongs to one page has no other pages.
 */
export async function findSubscribablePage(
  deps: Deps,
  { host, slug }: { host: string; slug: string | undefined },
): Promise<StatusPage | undefined> {
  if (slug !== undefined && (await isPageHost(deps, { host }))) return undefined;
  const find = finder(slug === undefined ? { host } : { slug }, deps.address);
  const page = find && (await deps.database.transaction('every organization', find));
  return page?.subscribersEnabled ? page : undefined;
}

/** Returns the current slug of the page that had this name before it was renamed; undefined if there is none. */
export async function findRenamedSlug({ database, address, now }: Deps, name: PublicName): Promise<string | undefined> {
  const slug = 'slug' in name ? name.slug : slugOfHost(name.host, address);
  if (slug === undefined || !isSlug(slug)) return undefined;
  return database.transaction('every organization', (tx) => findRenamedPage(tx, slug, now()));
}

/** Returns the query that finds a page by its name. Returns undefined if no page can have the name. */
function finder(
  name: PublicName,
  address: PublicAddress,
): ((tx: Transaction) => Promise<StatusPage | undefined>) | undefined {
  if ('slug' in name) return isSlug(name.slug) ? (tx) => findPublicPage(tx, name.slug) : undefined;
  const slug = slugOfHost(name.host, address);
  if (slug !== undefined) return finder({ slug }, address);
  return isHostName(name.host) ? (tx) => findPublicPageAt(tx, name.host) : undefined;
}
