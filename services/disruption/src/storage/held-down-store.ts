import { dueAtOnceIf, type Transaction } from '@tocsin/database';
import type { WentDownWithId } from '../domain/monitor-event.ts';
import type { Tables } from './tables.ts';

/**
 * A monitor that went down during a maintenance. Its disruption is opened only if the monitor is still down after the
 * maintenance.
 */
export interface HeldDown {
  readonly organizationId: string;
  readonly monitorId: string;
}

/** Returns whether a maintenance is in progress on any of the components. */
export async function isUnderMaintenance(
  tx: Transaction,
  organizationId: string,
  componentIds: readonly string[],
): Promise<boolean> {
  const rows = await tx.query(
    `select from affected_component a join disruption d on d.id = a.disruption_id
     where d.organization_id = $1 and a.component_id = any($2) and d.type = 'maintenance' and d.status = 'in_progress'
     limit 1`,
    [organizationId, componentIds],
  );
  return rows.length > 0;
}

export async function saveHeldDown(
  tx: Transaction,
  organizationId: string,
  { outageId, monitor, at, explanation }: WentDownWithId,
  componentIds: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into held_down (monitor_id, organization_id, monitor_name, went_down_at, explanation, component_ids, outage_id)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (monitor_id) do update set component_ids = excluded.component_ids`,
    [monitor.id, organizationId, monitor.name, at, explanation, componentIds, outageId],
  );
}

/**
 * Deletes the row of a monitor that went down during a maintenance, and returns its outage. Returns undefined if there
 * is no such row, or if another transaction has locked it.
 */
export async function popHeldDown(
  tx: Transaction,
  organizationId: string,
  monitorId: string,
): Promise<WentDownWithId | undefined> {
  const [row] = await tx.query<
    Pick<Tables['held_down'], 'monitor_name' | 'went_down_at' | 'explanation' | 'outage_id'>
  >(
    `delete from held_down where monitor_id = (
       select monitor_id from held_down where organization_id = $1 and monitor_id = $2 for update skip locked)
     returning monitor_name, went_down_at, explanation, outage_id`,
    [organizationId, monitorId],
  );
  if (!row) return undefined;
  const { monitor_name: name, went_down_at: at, explanation, outage_id: outageId } = row;
  return { kind: 'went_down', monitor: { id: monitorId, name }, at, explanation, outageId };
}

/** Locks the row of a monitor that went down during a maintenance, if there is one, until the transaction ends. */
export function lockHeldDown(tx: Transaction, organizationId: string, monitorId: string): void {
  tx.send('select from held_down where organization_id = $1 and monitor_id = $2 for update', [
    organizationId,
    monitorId,
  ]);
}

export function deleteHeldDown(tx: Transaction, organizationId: string, monitorId: string): void {
  tx.send('delete from held_down where organization_id = $1 and monitor_id = $2', [organizationId, monitorId]);
}

/**
 * SQL expression for the time at which listReleased() finds a monitor: at once if there is a monitor, even while the
 * components of all these monitors are under maintenance.
 */
export const HELD_DOWN_DUE = dueAtOnceIf('exists (select from held_down)');

/**
 * Returns up to `limit` monitors that went down during a maintenance and whose components are no longer under
 * maintenance. Needs a transaction across organizations.
 */
export async function listReleased(tx: Transaction, limit: number): Promise<HeldDown[]> {
  const rows = await tx.query<Pick<Tables['held_down'], 'organization_id' | 'monitor_id'>>(
    `select h.organization_id, h.monitor_id from held_down h where not exists (
       select from affected_component a join disruption d on d.id = a.disruption_id
       where d.organization_id = h.organization_id and a.component_id = any(h.component_ids)
         and d.type = 'maintenance' and d.status = 'in_progress')
     order by h.went_down_at limit $1`,
    [limit],
  );
  return rows.map((row) => ({ organizationId: row.organization_id, monitorId: row.monitor_id }));
}
