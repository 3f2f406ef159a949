import type { Transaction } from '@tocsin/database';
import { appendEvents, type OutgoingEvent } from '@tocsin/outbox';
import { worstStatus } from '../domain/component-status.ts';
import type { Disruption } from '../domain/disruption.ts';
import { componentStatusChanged, publicPageChanged } from '../events/outgoing.ts';
import { lockStatuses, saveStatuses } from '../storage/component-store.ts';
import {
  deleteDisruption,
  type ShownAt,
  saveDisruption,
  statusesInForce,
  type TimelineEdits,
} from '../storage/disruption-store.ts';
import { announceChange } from './announce.ts';
import type { Deps } from './ports.ts';
import { recordShownStatuses } from './record-statuses.ts';

/** A disruption as an event contains it. */
export interface DisruptionChange {
  readonly disruption: Disruption;
  /** Monitor of an automatic disruption. */
  readonly monitorId: string | undefined;
  readonly edits?: TimelineEdits;
}

/**
 * Stores this service's copy of a disruption, and updates the components and pages that show it now or showed it
 * before. Informs the subscribers of these pages.
 */
export async function applyDisruption(
  deps: Pick<Deps, 'address' | 'now' | 'writeNotice'>,
  tx: Transaction,
  { disruption, monitorId, edits = { deletedIds: [], edited: [] } }: DisruptionChange,
  now: Date,
): Promise<void> {
  const before = await saveDisruption(tx, disruption, edits);
  const shownAt = {
    componentIds: [...before.componentIds, ...disruption.components.map(({ id }) => id)],
    pageIds: [...before.pageIds, ...disruption.statusPageIds],
  };
  const notices = await announceChange(deps, tx, { disruption, monitorId, before });
  await updateAround(tx, disruption.organizationId, shownAt, now, notices);
}

/** Deletes this service's copy of a disruption, and updates the components and pages that showed it. */
export async function deleteDisruptionCopy(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
  now: Date,
): Promise<void> {
  await updateAround(tx, organizationId, await deleteDisruption(tx, organizationId, id), now);
}

/** Recalculates the statuses of components, and publishes that their pages changed, with the given notices. */
async function updateAround(
  tx: Transaction,
  organizationId: string,
  shownAt: ShownAt,
  now: Date,
  notices: readonly OutgoingEvent[] = [],
): Promise<void> {
  const statusEvents = await settleStatuses(tx, organizationId, [...new Set(shownAt.componentIds)], now);
  const pageEvents = [...new Set(shownAt.pageIds)].map((id) => publicPageChanged({ organizationId, id }));
  await appendEvents(tx, [...statusEvents, ...pageEvents, ...notices], now);
}

/**
 * Sets each component to the worst status that active disruptions give it, and returns the events. Locks the components
 * before it reads the disruptions. If two disruptions end at once, the second transaction therefore sees the change of
 * the first.
 */
async function settleStatuses(
  tx: Transaction,
  organizationId: string,
  ids: string[],
  now: Date,
): Promise<OutgoingEvent[]> {
  if (ids.length === 0) return [];
  const components = await lockStatuses(tx, organizationId, ids);
  const inForce = await statusesInForce(tx, organizationId, ids);
  const changes = components
    .map((component) => ({ component, status: worstStatus(inForce.get(component.id) ?? []) }))
    .filter(({ component, status }) => status !== component.status);
  if (changes.length === 0) return [];
  await saveStatuses(
    tx,
    organizationId,
    changes.map(({ component, status }) => ({ ...component, status })),
    now,
  );
  await recordShownStatuses(
    tx,
    organizationId,
    changes.map(({ component }) => component.id),
    now,
  );
  return changes.map(({ component, status }) => componentStatusChanged(organizationId, component, status));
}
