import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { HELD } from '../domain/held.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { deleteOpenIncidents, type IncidentFilter } from '../storage/incident-store.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import type { Deps } from './ports.ts';

/**
 * Closes open incidents at paging services, even through disabled channels. The incidents of a broken channel are
 * closed when the channel is healthy again.
 */
export async function closeIncidents(
  { now }: Pick<Deps, 'now'>,
  tx: Transaction,
  { organizationId, ...filter }: IncidentFilter & { organizationId: string },
): Promise<void> {
  const at = now();
  for (const { channelId, key, monitor, isBroken } of await deleteOpenIncidents(tx, organizationId, filter)) {
    const alert = {
      id: v7(),
      organizationId,
      eventId: v7(),
      kind: 'incident_closed',
      monitor,
      at,
      downSince: undefined,
      error: '',
      occurredAt: at,
      incidentKey: key,
    } as const;
    await insertAlert(tx, alert);
    const status = isBroken ? ({ status: 'held', error: HELD } as const) : ({ status: 'pending' } as const);
    const about = { organizationId, resourceId: monitor.id, now: at };
    insertDeliveries(tx, about, [{ id: v7(), alertId: alert.id, channelId, ...status }]);
  }
}
