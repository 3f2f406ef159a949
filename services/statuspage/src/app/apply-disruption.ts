import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { worstStatus } from '../domain/component-status.ts';
import type { Disruption } from '../domain/disruption.ts';
import { componentStatusChanged } from '../events/outgoing.ts';
import { lockStatuses, saveStatuses } from '../storage/component-store.ts';
import { deleteDisruption, saveDisruption, statusesInForce } from '../storage/disruption-store.ts';

/** Stores a copy of a disruption and recalculates the status of the components that it affects or affected before. */
export async function applyDisruption(tx: Transaction, disruption: Disruption, now: Date): Promise<void> {
  const before = await saveDisruption(tx, disruption);
  const touched = new Set([...before, ...disruption.components.map(({ id }) => id)]);
  await settleStatuses(tx, disruption.organizationId, [...touched], now);
}

/** Deletes the copy of a disruption and recalculates the status of the components that it affected. */
export async function deleteDisruptionCopy(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
  now: Date,
): Promise<void> {
  await settleStatuses(tx, organizationId, await deleteDisruption(tx, organizationId, id), now);
}

/**
 * Sets each component to the worst status that its disruptions in force give to it. Components are locked before the
 * disruptions are read: if two disruptions end at once, the second transaction sees the change of the first.
 */
async function settleStatuses(tx: Transaction, organizationId: string, ids: string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const components = await lockStatuses(tx, organizationId, ids);
  const inForce = await statusesInForce(tx, organizationId, ids);
  const changes = components
    .map((component) => ({ component, status: worstStatus(inForce.get(component.id) ?? []) }))
    .filter(({ component, status }) => status !== component.status);
  if (changes.length === 0) return;
  await saveStatuses(
    tx,
    organizationId,
    changes.map(({ component, status }) => ({ ...component, status })),
    now,
  );
  const events = changes.map(({ component, status }) => componentStatusChanged(organizationId, component, status));
  await appendEvents(tx, events, now);
}
