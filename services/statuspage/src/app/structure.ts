import { setImmediate } from 'node:timers/promises';
import type { Transaction } from '@tocsin/database';
import { invalid, notFound } from '@tocsin/errors';
import { appendEvents, type ExecutedRequest, recordRequests } from '@tocsin/outbox';
import { v7, validate } from 'uuid';
import type { StatusPage } from '../domain/page.ts';
import {
  applyPlan,
  isEmptyPlan,
  planStructure,
  type StructurePlan,
  type WantedEntry,
} from '../domain/plan-structure.ts';
import { MAX_COMPONENTS, MAX_GROUPS, type MonitorLink, type Placed, type Structure } from '../domain/tree.ts';
import { componentDeleted, pageUpdated } from '../events/outgoing.ts';
import { startFreshnessChecks } from '../storage/freshness-store.ts';
import { findConditions } from '../storage/monitor-condition-store.ts';
import { findPage, lockPage, touchPages } from '../storage/page-store.ts';
import { loadStructure, type PageKey, writePlan } from '../storage/structure-store.ts';
import {
  changeLinks,
  type LinkDeps,
  lockLinkedMonitors,
  monitorCheck,
  type RequestedMonitors,
} from './linkable-monitors.ts';
import type { Deps } from './ports.ts';
import { recordShownStatuses } from './record-statuses.ts';
import { detailsOf, type PageDetails, readAround } from './status-pages.ts';

export interface PageWithStructure {
  readonly page: StatusPage;
  readonly structure: Structure;
}

/** Returns the changes to the structure of a page. `isMonitor` returns whether a monitor of the request exists. */
type Planner = (current: Structure, isMonitor: (id: string) => boolean) => StructurePlan;

export interface ChangeOptions {
  /** Links to monitors that the request contains. */
  readonly links?: readonly MonitorLink[];
  /** The request, if it must not be carried out twice. */
  readonly request?: ExecutedRequest;
}

/**
 * Applies the changes that `plan` returns to a page's structure, and returns the result. Changes to one page run one
 * after the other. If the transaction is retried, `plan` is called again.
 * @throws ServiceError `not_found` if the page does not exist, and the errors that `plan` throws.
 */
export async function changeStructure(
  deps: LinkDeps,
  key: PageKey,
  plan: Planner,
  { links = [], request }: ChangeOptions = {},
): Promise<PageWithStructure> {
  const { organizationId, pageId } = key;
  if (!validate(pageId)) throw notFound('status page');
  return changeLinks(deps, organizationId, links, (tx, requested) => {
    if (request) recordRequests(tx, organizationId, [request], deps.now());
    const conditions = requested.ids.length === 0 ? new Map() : findConditions(tx, organizationId, requested.ids);
    return changeInTransaction(deps, tx, key, { plan, requested, conditions });
  });
}

interface Change {
  readonly plan: Planner;
  readonly requested: RequestedMonitors;
  /** Conditions of the requested monitors, by id. Their statement was sent, and is not waited for. */
  readonly conditions: ReadonlyMap<string, unknown> | Promise<ReadonlyMap<string, unknown>>;
}

async function changeInTransaction(
  { now }: Pick<Deps, 'now'>,
  tx: Transaction,
  key: PageKey,
  { plan, requested, conditions }: Change,
): Promise<PageWithStructure> {
  const { organizationId, pageId } = key;
  // The statements are sent together, and lock the page first.
  const [known, page, current] = await Promise.all([
    conditions,
    lockPage(tx, organizationId, pageId),
    loadStructure(tx, key),
  ]);
  if (!page) throw notFound('status page');
  const planned = plan(current, monitorCheck(requested, known));
  if (isEmptyPlan(planned)) return { page, structure: current };
  checkSize(current, planned);
  // Monitors to which the page has links are unlinked before or after this transaction, because unlinking locks the
  // page. Their conditions must not be locked or changed here, because unlinking locks them before the page.
  const ids = newlyLinked(current, planned);
  await lockLinkedMonitors(tx, organizationId, { ...requested, ids });

  const changed = { ...page, updatedAt: now() };
  writePlan(tx, key, { current, plan: planned, now: changed.updatedAt });
  if (ids.length > 0) startFreshnessChecks(tx, organizationId, ids);
  const newlyShown = [...planned.components.create, ...planned.relinked].map(({ id }) => id);
  await recordShownStatuses(tx, organizationId, newlyShown, changed.updatedAt);
  touchPages(tx, organizationId, [pageId], changed.updatedAt);
  const deleted = planned.components.delete.map((componentId) => componentDeleted(page, componentId));
  await appendEvents(tx, [...deleted, pageUpdated(page)], changed.updatedAt);
  return { page: changed, structure: applyPlan(current, planned, changed.updatedAt) };
}

/** Returns the ids of the monitors to which the page has no link before the change. */
function newlyLinked(current: Structure, { relinked }: StructurePlan): string[] {
  if (relinked.length === 0) return [];
  const before = new Set(monitorIdsOf(current.components));
  return [...new Set(monitorIdsOf(relinked))].filter((id) => !before.has(id));
}

function monitorIdsOf(components: Placed['components']): string[] {
  return components.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId));
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

export interface NewStructure {
  readonly organizationId: string;
  readonly id: string;
  readonly entries: readonly WantedEntry[];
}

/**
 * Replaces all groups and components of a page, and returns what `show` returns for the new ones. Concurrent
 * replacements of a page run one after the other, and the last one takes effect as a whole. `show` runs while the
 * database stores them, so it must not have effects.
 * @throws ServiceError `not_found`, or `invalid` with the path of each invalid field in the API request.
 */
export async function replaceStructure<Shown>(
  deps: LinkDeps,
  { organizationId, id, entries }: NewStructure,
  show: (details: PageDetails) => Promise<Shown>,
): Promise<Shown> {
  const components = entries.flatMap((entry) => {
    if (entry.kind === 'unknown') return [];
    return entry.kind === 'group' ? entry.components : [entry];
  });
  const links = components.flatMap(({ monitors }) => monitors);
  if (!validate(id)) throw notFound('status page');
  const key = { organizationId, pageId: id };
  const plan: Planner = (current, isMonitor) => planStructure(current, entries, { isMonitor, newId: v7 });
  const { shown } = await changeLinks(deps, organizationId, links, async (tx, requested) => {
    // All lookups are by key, so plans do not depend on parameters. By default, PostgreSQL plans statements with long
    // lists in every call.
    tx.send('set local plan_cache_mode to force_generic_plan');
    // The statements are sent together, and the components are read after the disruptions.
    const reading = readAround(tx, key, requested.ids);
    const conditions = reading.then(({ monitors }) => monitors);
    const [around, { page, structure }] = await Promise.all([
      reading,
      changeInTransaction(deps, tx, key, { plan, requested, conditions }),
    ]);
    // The statements are sent before `show` runs, and the commit does not wait for it.
    const shown = setImmediate().then(() => show(detailsOf(page, structure, around)));
    shown.catch(() => undefined);
    return { shown };
  });
  return shown;
}
