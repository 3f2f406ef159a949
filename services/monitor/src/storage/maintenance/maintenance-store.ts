import type { Transaction } from '@tocsin/database';
import type { SuppressedAlert } from '../../domain/maintenance/suppression.ts';
import type { Tables } from '../tables.ts';

/** A maintenance of an organization, and the time of a change to this maintenance. */
export interface MaintenanceMoment {
  readonly organizationId: string;
  readonly disruptionId: string;
  readonly at: Date;
}

/** SQL condition for rows of check_result whose monitor was not under maintenance. */
export const OUTSIDE_MAINTENANCE = `not exists (select from maintenance where maintenance.monitor_id = check_result.monitor_id
  and from_at <= round_at and (to_at is null or to_at > round_at))`;

/**
 * Saves a maintenance in progress with the components that it affects. Locks it until the transaction ends, so that no
 * other transaction changes which monitors it covers.
 */
export async function saveMaintenance(
  tx: Transaction,
  { organizationId, disruptionId }: MaintenanceMoment,
  componentIds: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into maintenance_at_work (disruption_id, organization_id, component_ids) values ($1, $2, $3)
     on conflict (disruption_id) do update set component_ids = excluded.component_ids`,
    [disruptionId, organizationId, componentIds],
  );
}

/** Deletes a maintenance that is no longer in progress. */
export async function letGoOfMaintenance(tx: Transaction, disruptionId: string): Promise<void> {
  await tx.query('delete from maintenance_at_work where disruption_id = $1', [disruptionId]);
}

/**
 * Returns an organization's maintenances in progress with the components that they affect. Locks them until the
 * transaction ends, so that no other transaction changes which monitors they cover.
 */
export async function lockMaintenances(
  tx: Transaction,
  organizationId: string,
): Promise<{ disruptionId: string; componentIds: string[] }[]> {
  return tx.query<{ disruptionId: string; componentIds: string[] }>(
    `select disruption_id as "disruptionId", component_ids as "componentIds" from maintenance_at_work
     where organization_id = $1 order by disruption_id for update`,
    [organizationId],
  );
}

/** Returns the monitors that a maintenance covers now. */
export async function findMaintained(tx: Transaction, disruptionId: string): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['maintenance'], 'monitor_id'>>(
    'select monitor_id from maintenance where disruption_id = $1 and to_at is null',
    [disruptionId],
  );
  return rows.map((row) => row.monitor_id);
}

/** Returns the ids of monitors that are under any maintenance. */
export async function findUnderMaintenance(tx: Transaction, monitorIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<Pick<Tables['maintenance'], 'monitor_id'>>(
    'select distinct monitor_id from maintenance where monitor_id = any($1) and to_at is null',
    [monitorIds],
  );
  return new Set(rows.map((row) => row.monitor_id));
}

/** Puts monitors under a maintenance. Ignores ids that are not monitors of the organization. */
export async function beginMaintenance(
  tx: Transaction,
  { organizationId, disruptionId, at }: MaintenanceMoment,
  monitorIds: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into maintenance (disruption_id, monitor_id, organization_id, from_at)
     select $1, id, organization_id, $3 from monitor where organization_id = $2 and id = any($4) on conflict do nothing`,
    [disruptionId, organizationId, at, monitorIds],
  );
}

export async function endMaintenance(
  tx: Transaction,
  { disruptionId, at }: MaintenanceMoment,
  monitorIds: readonly string[],
): Promise<void> {
  await tx.query(
    'update maintenance set to_at = $2 where disruption_id = $1 and monitor_id = any($3) and to_at is null',
    [disruptionId, at, monitorIds],
  );
}

export interface HeldAlert extends SuppressedAlert {
  readonly monitorId: string;
  readonly organizationId: string;
  /** Error of the suppressed alert. */
  readonly error: string;
}

/** Saves suppressed alerts, at most one of each monitor. */
export function saveHeldAlerts(tx: Transaction, alerts: readonly HeldAlert[]): void {
  if (alerts.length === 0) return;
  tx.send(
    `insert into held_alert (monitor_id, organization_id, error, alerted_before)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[])
     on conflict (monitor_id) do update set error = excluded.error, alerted_before = excluded.alerted_before`,
    [
      alerts.map(({ monitorId }) => monitorId),
      alerts.map(({ organizationId }) => organizationId),
      alerts.map(({ error }) => error),
      alerts.map(({ alertedBefore }) => alertedBefore),
    ],
  );
}

const HELD_COLUMNS =
  'monitor_id as "monitorId", organization_id as "organizationId", error, alerted_before as "alertedBefore"';

/** Returns the suppressed alerts of monitors. */
export async function findHeldAlerts(tx: Transaction, monitorIds: readonly string[]): Promise<HeldAlert[]> {
  return tx.query<HeldAlert>(`select ${HELD_COLUMNS} from held_alert where monitor_id = any($1)`, [monitorIds]);
}

/** Deletes and returns the suppressed alerts of monitors. */
export async function popHeldAlerts(tx: Transaction, monitorIds: readonly string[]): Promise<HeldAlert[]> {
  return tx.query<HeldAlert>(`delete from held_alert where monitor_id = any($1) returning ${HELD_COLUMNS}`, [
    monitorIds,
  ]);
}

/** Deletes the suppressed alerts of monitors, without waiting for the result. */
export function deleteHeldAlerts(tx: Transaction, monitorIds: readonly string[]): void {
  if (monitorIds.length > 0) tx.send('delete from held_alert where monitor_id = any($1)', [monitorIds]);
}
