import type { Transaction } from '@tocsin/database';
import { invalid, notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { validate } from 'uuid';
import { pageUpdated } from '../events/outgoing.ts';
import {
  type ComponentName,
  findNames,
  type LinkedComponent,
  listLinked,
  listLinkedIds,
  listLinkedMonitorIds,
  listPageLinks,
  type PageLink,
  unlink,
} from '../storage/component-store.ts';
import { deleteMonitorCondition } from '../storage/monitor-condition-store.ts';
import { findPage, touchPages } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';
import { recordShownStatuses } from './record-statuses.ts';

/** Returns the components linked to a monitor, on all pages of the organization; empty for an unknown monitor. */
export async function listLinkedComponents(
  { database }: Deps,
  { organizationId, monitorId }: { organizationId: string; monitorId: string },
): Promise<LinkedComponent[]> {
  if (!validate(monitorId)) return [];
  return database.transaction({ organizationId }, (tx) => listLinked(tx, organizationId, monitorId));
}

export type { PageLink };

const MAX_MONITORS = 1_000;

/**
 * Returns the links between the components of a page and the given monitors. Ignores unknown monitors.
 * @throws ServiceError `invalid` for more than MAX_MONITORS monitors.
 */
export async function pageLinks(
  { database }: Deps,
  { organizationId, statusPageId, monitorIds }: MonitorsOfPage,
): Promise<PageLink[]> {
  if (monitorIds.length > MAX_MONITORS) {
    throw invalid({ monitor_ids: [`must have at most ${MAX_MONITORS} items`] });
  }
  if (!isId(statusPageId)) return [];
  return database.transaction({ organizationId }, (tx) =>
    listPageLinks(tx, { organizationId, statusPageId }, monitorIds.filter(isId)),
  );
}

interface MonitorsOfPage {
  readonly organizationId: string;
  readonly statusPageId: string;
  readonly monitorIds: readonly string[];
}

/**
 * Returns the monitors linked to the given components of the organization, without duplicates. Ignores unknown
 * components.
 */
export async function listLinkedMonitors(
  { database }: Deps,
  { organizationId, componentIds }: { organizationId: string; componentIds: readonly string[] },
): Promise<string[]> {
  return database.transaction({ organizationId }, (tx) =>
    listLinkedMonitorIds(tx, organizationId, componentIds.filter(isId)),
  );
}

export interface ComponentsOfPage {
  readonly organizationId: string;
  readonly statusPageId: string;
  readonly ids: readonly string[];
}

/**
 * Returns the components of a page with these ids.
 * @throws ServiceError `not_found` if the page does not exist.
 */
export async function resolveComponents(
  { database }: Deps,
  { organizationId, statusPageId, ids }: ComponentsOfPage,
): Promise<ComponentName[]> {
  if (!isId(statusPageId)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    if (!(await findPage(tx, organizationId, statusPageId))) throw notFound('status page');
    return findNames(tx, organizationId, statusPageId, ids.filter(isId));
  });
}

/**
 * Removes a deleted monitor from all components. Deletes its condition first: this waits for transactions that link
 * components to the monitor, so that the following statements see their links, and later ones find no condition.
 */
export async function unlinkMonitor(
  tx: Transaction,
  { organizationId, monitorId }: { organizationId: string; monitorId: string },
  now: Date,
): Promise<void> {
  await deleteMonitorCondition(tx, { organizationId, monitorId });
  const componentIds = await listLinkedIds(tx, organizationId, monitorId);
  const pages = await unlink(tx, organizationId, monitorId, now);
  await recordShownStatuses(tx, organizationId, componentIds, now);
  touchPages(tx, organizationId, pages, now);
  await appendEvents(
    tx,
    pages.map((id) => pageUpdated({ organizationId, id })),
    now,
  );
}
