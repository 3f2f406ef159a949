import type { Transaction } from '@tocsin/database';
import type { Tables } from '../tables.ts';

/**
 * Disables the monitors of an organization without publishing an event, and marks them, so that they can be enabled
 * again. Removes their scheduled and open rounds, automatic disruptions, suppressed alerts, and the timers of staleness
 * checks, heartbeats and auto-disable.
 */
export async function stopMonitors(tx: Transaction, organizationId: string): Promise<void> {
  // Lock the monitors before the rows that depend on them, as every other change does.
  await tx.query('select from monitor where organization_id = $1 order by id for no key update', [organizationId]);
  await tx.query(
    'update monitor set enabled = false, enabled_before_stop = true where organization_id = $1 and enabled',
    [organizationId],
  );
  for (const table of ['schedule', 'open_round']) {
    await tx.query(`delete from ${table} d using monitor m where m.id = d.monitor_id and m.organization_id = $1`, [
      organizationId,
    ]);
  }
  for (const table of ['silence_watch', 'down_watch', 'automatic_disruption', 'held_alert']) {
    await tx.query(`delete from ${table} where organization_id = $1`, [organizationId]);
  }
  await tx.query('update heartbeat set due_at = null where organization_id = $1', [organizationId]);
}

/** Returns the ids of monitors that were enabled when their organization was stopped. */
export async function listStoppedIds(tx: Transaction, organizationId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['monitor'], 'id'>>(
    'select id from monitor where organization_id = $1 and enabled_before_stop order by id limit $2',
    [organizationId, limit],
  );
  return rows.map(({ id }) => id);
}

export async function clearStopped(tx: Transaction, id: string): Promise<void> {
  await tx.query('update monitor set enabled_before_stop = false where id = $1', [id]);
}

export async function listMonitorIds(tx: Transaction, organizationId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['monitor'], 'id'>>(
    'select id from monitor where organization_id = $1 order by id limit $2',
    [organizationId, limit],
  );
  return rows.map(({ id }) => id);
}
