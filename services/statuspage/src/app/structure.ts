import type { Transaction } from '@tocsin/database';
import { invalid, notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { v7, validate } from 'uuid';
import type { StatusPage } from '../domain/page.ts';
import {
  applyPlan,
  isEmptyPlan,
  planStructure,
  type StructurePlan,
  type WantedEntry,
} from '../domain/plan-structure.ts';
import { MAX_COMPONENTS, MAX_GROUPS, type MonitorLink, type Structure } from '../domain/tree.ts';
import { componentDeleted, pageUpdated } from '../events/outgoing.ts';
import { findPage, lockPage, touchPages } from '../storage/page-store.ts';
import { loadStructure, type PageKey, writePlan } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';
import { recordShownStatuses } from './record-statuses.ts';
import { detailsOf, type PageDetails, readAround } from './status-pages.ts';

export interface PageWithStructure {
  readonly page: StatusPage;
  readonly structure: Structure;
}

/**
 * Applies the changes that `plan` returns to a page's structure, and returns the result. Changes to one page run one
 * after the other. If the transaction is retried, `plan` is called again.
 * @throws ServiceError `not_found` if the page does not exist, and the errors that `plan` throws.
 */
export async function changeStructure(
  deps: Deps,
  key: PageKey,
  plan: (current: Structure) => StructurePlan,
): Promise<PageWithStructure> {
  const { organizationId, pageId } = key;
  if (!validate(pageId)) throw notFound('status page');
  return deps.database.transaction({ organizationId }, (tx) => changeInTransaction(deps, tx, key, plan));
}

async function changeInTransaction(
  { now }: Pick<Deps, 'now'>,
  tx: Transaction,
  key: PageKey,
  plan: (current: Structure) => StructurePlan,
): Promise<PageWithStructure> {
  const { organizationId, pageId } = key;
  // The statements are sent together, and lock the page first.
  const [page, current] = await Promise.all([
    lockPage(tx, organizationId, pageId),
    loadStructure(tx, key, 'for update'),
  ]);
  if (!page) throw notFound('status page');
  const planned = plan(current);
  if (isEmptyPlan(planned)) return { page, structure: current };
  checkSize(current, planned);

  const changed = { ...page, updatedAt: now() };
  writePlan(tx, key, planned, changed.updatedAt);
  const newlyShown = [...planned.components.create, ...planned.relinked].map(({ id }) => id);
  await recordShownStatuses(tx, organizationId, newlyShown, changed.updatedAt);
  touchPages(tx, organizationId, [pageId], changed.updatedAt);
  const deleted = planned.components.delete.map((componentId) => componentDeleted(page, componentId));
  await appendEvents(tx, [...deleted, pageUpdated(page)], changed.updatedAt);
  return { page: changed, structure: applyPlan(current, planned, changed.updatedAt) };
}

/**
 * Checks that a change does not add components or groups beyond the limits. A page may exceed a limit that was
 * introduced after the page was created. Changes to the page that add no component (or no group, respectively) are
 * still allowed.
 * @throws ServiceError `invalid`
 */
function checkSize(current: Structure, planned: StructurePlan): void {
  const components = sizeAfter(current.components, planned.components);
  const groups = sizeAfter(current.groups, planned.groups);
  if (planned.components.create.length > 0 && components > MAX_COMPONENTS) {
    throw invalid({ components: [`must be at most ${MAX_COMPONENTS} on a page, and would be ${components}`] });
  }
  if (planned.groups.create.length > 0 && groups > MAX_GROUPS) {
    throw invalid({ components: [`must be in at most ${MAX_GROUPS} groups on a page, and would be in ${groups}`] });
  }
}

function sizeAfter(
  current: readonly unknown[],
  changes: StructurePlan['components'] | StructurePlan['groups'],
): number {
  return current.length + changes.create.length - changes.delete.length;
}

/**
 * Returns all groups and components of a page.
 * @throws ServiceError `not_found`
 */
export async function readStructure({ database }: Deps, key: PageKey): Promise<Structure> {
  const { organizationId, pageId } = key;
  if (!validate(pageId)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    if (!(await findPage(tx, organizationId, pageId))) throw notFound('status page');
    return loadStructure(tx, key);
  });
}

/**
 * Reads which of the linked monitors belong to the organization, and returns a function that checks an id. The caller
 * must not be in a transaction, so that no row is locked during the call to the monitor service.
 */
export async function findLinkableMonitors(
  { monitors }: Pick<ReplaceDeps, 'monitors'>,
  organizationId: string,
  links: readonly MonitorLink[],
): Promise<(id: string) => boolean> {
  const ids = new Set(links.map(({ monitorId }) => monitorId).filter((id) => validate(id)));
  const existing = new Set(await monitors.existing(organizationId, [...ids]));
  return (id) => existing.has(id);
}

/** Parts of the dependencies that a replacement needs. */
export interface ReplaceDeps extends Pick<Deps, 'now'> {
  readonly database: Pick<Deps['database'], 'transaction'>;
  readonly monitors: Pick<Deps['monitors'], 'existing'>;
}

export interface NewStructure {
  readonly organizationId: string;
  readonly id: string;
  readonly entries: readonly WantedEntry[];
}

/**
 * Replaces all groups and components of a page. Concurrent replacements of a page run one after the other, and the last
 * one takes effect as a whole.
 * @throws ServiceError `not_found`, or `invalid` with the path of each invalid field in the API request.
 */
export async function replaceStructure(
  deps: ReplaceDeps,
  { organizationId, id, entries }: NewStructure,
): Promise<PageDetails> {
  const components = entries.flatMap((entry) => {
    if (entry.kind === 'unknown') return [];
    return entry.kind === 'group' ? entry.components : [entry];
  });
  const links = components.flatMap(({ monitors }) => monitors);
  const isMonitor = await findLinkableMonitors(deps, organizationId, links);
  if (!validate(id)) throw notFound('status page');
  const monitorIds = [...new Set(links.map(({ monitorId }) => monitorId))].filter(isMonitor);
  return deps.database.transaction({ organizationId }, async (tx) => {
    // The statements are sent together, and the components are read after the disruptions.
    const [around, { page, structure }] = await Promise.all([
      readAround(tx, { organizationId, pageId: id }, monitorIds),
      changeInTransaction(deps, tx, { organizationId, pageId: id }, (current) =>
        planStructure(current, entries, { isMonitor, newId: v7 }),
      ),
    ]);
    return detailsOf(page, structure, around);
  });
}
