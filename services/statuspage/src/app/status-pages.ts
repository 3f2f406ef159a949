import { requireWithinLimit, type Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import { appendEvents, executeOnce, type Repeatable, recordRequests } from '@tocsin/outbox';
import type { Paging, Part } from '@tocsin/paging';
import { v4, v7, validate } from 'uuid';
import { changePage, checkPage, type PageSettings, type StatusPage } from '../domain/page.ts';
import type { ViewInputs } from '../domain/page-view.ts';
import { type Entry, type Structure, treeOf } from '../domain/tree.ts';
import { componentDeleted, pageDeleted, pageSettingsChanged } from '../events/outgoing.ts';
import { findLogoError, saveWantedLogos } from '../storage/logo-store.ts';
import { findConditions } from '../storage/monitor-condition-store.ts';
import { deletePage, findPage, insertPage, listPages, lockPage, PAGE_ROWS, savePage } from '../storage/page-store.ts';
import { listActiveDisruptions } from '../storage/page-view-store.ts';
import { claimSlug, expireReleasedSlug, releaseSlug } from '../storage/released-slug-store.ts';
import { loadStructure, type PageKey } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';

export interface PageWithTree {
  readonly page: StatusPage;
  readonly entries: readonly Entry[];
}

/** A page as its owner sees it. */
export interface PageDetails extends PageWithTree {
  /** Reason why a logo of the page can't be fetched; undefined if there is none. */
  readonly logoError: string | undefined;
  /** Data from which the statuses that visitors see are determined. */
  readonly viewInputs: ViewInputs;
}

export async function withTree(tx: Transaction, page: StatusPage): Promise<PageWithTree> {
  const key = { organizationId: page.organizationId, pageId: page.id };
  return { page, entries: treeOf(await loadStructure(tx, key)) };
}

export async function withDetails(tx: Transaction, page: StatusPage): Promise<PageDetails> {
  const key = { organizationId: page.organizationId, pageId: page.id };
  const disruptions = await listActiveDisruptions(tx, key.organizationId, [key.pageId]);
  const structure = await loadStructure(tx, key);
  const [monitors, logoError] = await Promise.all([
    findConditions(tx, key.organizationId, linkedMonitors(structure)),
    findLogoError(tx, key),
  ]);
  return detailsOf(page, structure, { disruptions, monitors, logoError });
}

/** Data about a page that does not belong to its settings or its structure. */
export interface AroundPage extends Pick<ViewInputs, 'disruptions' | 'monitors'>, Pick<PageDetails, 'logoError'> {}

/**
 * Reads the data about a page whose components are linked to the given monitors. The statements are sent before this
 * function returns. Read it before the structure, because of listActiveDisruptions().
 */
export async function readAround(
  tx: Transaction,
  { organizationId, pageId }: PageKey,
  monitorIds: readonly string[],
): Promise<AroundPage> {
  const [disruptions, monitors, logoError] = await Promise.all([
    listActiveDisruptions(tx, organizationId, [pageId]),
    findConditions(tx, organizationId, monitorIds),
    findLogoError(tx, { organizationId, pageId }),
  ]);
  return { disruptions, monitors, logoError };
}

/** Returns the details of a page. Its disruptions were read before its `structure`. */
export function detailsOf(
  page: StatusPage,
  structure: Structure,
  { disruptions, monitors, logoError }: AroundPage,
): PageDetails {
  const components = structure.components.map((component) => ({
    id: component.id,
    pageId: page.id,
    status: component.status,
    monitorIds: component.monitors.map(({ monitorId }) => monitorId),
  }));
  return { page, entries: treeOf(structure), logoError, viewInputs: { components, monitors, disruptions } };
}

function linkedMonitors({ components }: Structure): string[] {
  return [...new Set(components.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId)))];
}

/**
 * Returns a page with its groups and components.
 * @throws ServiceError `not_found`
 */
export async function getStatusPage(
  { database }: Pick<Deps, 'database'>,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<PageDetails> {
  if (!validate(id)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    const page = await findPage(tx, organizationId, id);
    if (!page) throw notFound('status page');
    return withDetails(tx, page);
  });
}

/** Returns the organization's pages, newest first. */
export async function listStatusPages(
  { database }: Deps,
  { organizationId, paging }: { organizationId: string; paging: Paging },
): Promise<Part<StatusPage>> {
  return database.transaction({ organizationId }, (tx) => listPages(tx, organizationId, paging));
}

export interface NewPage extends Repeatable {
  readonly organizationId: string;
  /** Maximum number of pages of the organization. */
  readonly limit: number;
  readonly settings: PageSettings;
}

/**
 * Creates a page without components. A repeat returns the page as it is now.
 * @throws ServiceError `invalid` that lists all invalid fields or the limit that was reached; `conflict` for a repeat
 * after the page was deleted.
 */
export function createStatusPage(deps: Pick<Deps, 'database' | 'now'>, input: NewPage): Promise<PageDetails> {
  const { organizationId } = input;
  return executeOnce(
    deps,
    input,
    () => insertNew(deps, input),
    ([id = '']) => getStatusPage(deps, { organizationId, id }),
  );
}

async function insertNew(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  { organizationId, idempotencyId, limit, settings }: NewPage,
): Promise<PageDetails> {
  checkPage(settings);
  const createdAt = now();
  const page = {
    ...settings,
    id: v7(),
    organizationId,
    domain: undefined,
    domainToken: v4().replaceAll('-', ''),
    createdAt,
    updatedAt: createdAt,
  };
  await database.transaction('every organization', (tx) => expireReleasedSlug(tx, page.slug, createdAt));
  await database.transaction({ organizationId }, async (tx) => {
    recordRequests(tx, organizationId, [{ idempotencyId, resourceIds: [page.id] }], createdAt);
    await claimSlug(tx, organizationId, page.slug, createdAt);
    await insertPage(tx, page);
    await saveWantedLogos(tx, page, createdAt);
    await appendEvents(tx, [pageSettingsChanged(page)], createdAt);
    await requireWithinLimit(tx, organizationId, PAGE_ROWS, limit);
  });
  const viewInputs = { components: [], monitors: new Map(), disruptions: [] };
  return { page, entries: [], logoError: undefined, viewInputs };
}

export interface PageChanges {
  readonly organizationId: string;
  readonly id: string;
  /** Changes to the settings. Absent fields stay unchanged, and fields that are undefined are cleared. */
  readonly changes: Partial<PageSettings>;
}

/**
 * Changes the settings of a page.
 * @throws ServiceError `not_found`, or `invalid` that lists all invalid fields.
 */
export async function updateStatusPage(
  { database, now }: Deps,
  { organizationId, id, changes }: PageChanges,
): Promise<PageDetails> {
  if (!validate(id)) throw notFound('status page');
  const { slug } = changes;
  if (slug !== undefined) await database.transaction('every organization', (tx) => expireReleasedSlug(tx, slug, now()));
  return database.transaction({ organizationId }, async (tx) => {
    const page = await lockPage(tx, organizationId, id);
    if (!page) throw notFound('status page');
    const changedAt = now();
    const changed = changePage(page, changes, changedAt);
    if (changed !== page) {
      if (changed.slug !== page.slug) await claimSlug(tx, organizationId, changed.slug, changedAt);
      await savePage(tx, changed);
      await saveWantedLogos(tx, changed, changedAt);
      if (changed.slug !== page.slug) await releaseSlug(tx, page, { pageId: id, now: changedAt });
      await appendEvents(tx, [pageSettingsChanged(changed)], changedAt);
    }
    return withDetails(tx, changed);
  });
}

/**
 * Deletes a page with its groups and components, and releases its slug.
 * @throws ServiceError `not_found`
 */
export async function deleteStatusPage(
  { database, now }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  if (!validate(id)) throw notFound('status page');
  await database.transaction({ organizationId }, async (tx) => {
    const page = await lockPage(tx, organizationId, id);
    if (!page) throw notFound('status page');
    const { components } = await loadStructure(tx, { organizationId, pageId: id }, 'for update');
    await deletePage(tx, page);
    await releaseSlug(tx, page, { pageId: null, now: now() });
    const deleted = components.map((component) => componentDeleted(page, component.id));
    await appendEvents(tx, [...deleted, pageDeleted(page)], now());
  });
}
