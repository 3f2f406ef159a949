import type { LimitedRows, Transaction } from '@tocsin/database';
import { type CheckType, checkTypes } from '@tocsin/enums';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { Tables } from '../tables.ts';
import { MONITOR_COLUMNS, MonitorEntity, type MonitorRow } from './monitor-entity.ts';

/**
 * Rows that count against the organization's monitor limit. A trigger maintains the sums. `maxConcurrent` is high
 * because each concurrent request may create up to 200 monitors.
 */
export const MONITOR_ROWS: LimitedRows = {
  limit: 'monitors',
  table: 'monitor_count',
  sumOf: 'monitors',
  maxConcurrent: 10_000,
};

export function toMonitor(row: MonitorRow): Monitor {
  const { heartbeatTokenHash: hash, heartbeatTokenSealed: sealed, ...rest } = row;
  const heartbeatToken = hash && sealed ? { hash, sealed } : undefined;
  // Settings of links to deleted channels may still be stored, so they are filtered out.
  const alertChannelLinks = row.alertChannelLinks.filter(({ channelId }) => row.alertChannelIds.includes(channelId));
  return { ...rest, checkType: checkTypeOf(row.checkType), alertChannelLinks, heartbeatToken };
}

function checkTypeOf(text: string): CheckType {
  const found = checkTypes.names.find((type) => type === text);
  if (!found) throw new Error(`a stored monitor has the unknown type ${text}`);
  return found;
}

function toRow(monitor: Monitor) {
  const { alertChannelIds, alertChannelLinks, secretNames, heartbeatToken, ...rest } = monitor;
  return {
    ...rest,
    alertChannelIds: [...alertChannelIds],
    alertChannelLinks: [...alertChannelLinks],
    secretNames: [...secretNames],
    heartbeatTokenHash: heartbeatToken?.hash ?? null,
    heartbeatTokenSealed: heartbeatToken?.sealed ?? null,
  };
}

type InsertedRow = Omit<Tables['monitor'], 'heartbeat_token' | 'enabled_before_stop'>;

/** Inserts monitors, without waiting for the result. */
export function insertMonitors(tx: Transaction, monitors: readonly Monitor[]): void {
  const rows = monitors.map(toInsertedRow);
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first).join(', ');
  tx.send(`insert into monitor (${columns}) select ${columns} from json_populate_recordset(null::monitor, $1)`, [
    JSON.stringify(rows),
  ]);
}

function toInsertedRow(monitor: Monitor): InsertedRow {
  const row = toRow(monitor);
  return {
    id: row.id,
    organization_id: row.organizationId,
    name: row.name,
    check_type: row.checkType,
    enabled: row.enabled,
    interval_seconds: row.intervalSeconds,
    timeout_ms: row.timeoutMs,
    confirm_down_minutes: row.confirmDownMinutes,
    confirm_up_minutes: row.confirmUpMinutes,
    confirm_down_after: row.confirmDownAfter,
    confirm_up_after: row.confirmUpAfter,
    config_json: row.configJson,
    alert_channel_ids: row.alertChannelIds,
    alert_channel_links: row.alertChannelLinks,
    secret_names: row.secretNames,
    heartbeat_token_hash: row.heartbeatTokenHash,
    heartbeat_token_sealed: row.heartbeatTokenSealed,
    version: row.version,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

export async function findMonitor(tx: Transaction, organizationId: string, id: string): Promise<Monitor | undefined> {
  const row = await tx.em.findOne(MonitorEntity, { id, organizationId });
  return row ? toMonitor(row) : undefined;
}

/** Does the same as findMonitor(), and locks the monitor until the transaction ends. */
export async function lockMonitor(tx: Transaction, organizationId: string, id: string): Promise<Monitor | undefined> {
  await tx.query('select from monitor where id = $1 and organization_id = $2 for no key update', [id, organizationId]);
  return findMonitor(tx, organizationId, id);
}

/** Locks monitors until the transaction ends, so that no other transaction evaluates or changes them. */
export async function lockMonitors(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query('select from monitor where id = any($1) order by id for no key update', [ids]);
}

/** Returns monitors of any organization, in no particular order. Deleted monitors are left out. */
export async function findMonitorsOfAll(tx: Transaction, ids: readonly string[]): Promise<Monitor[]> {
  // Plain SQL, because an alert waits for this statement, and the ORM needs milliseconds for it.
  const rows = await tx.query<MonitorRow>(`select ${MONITOR_COLUMNS} from monitor where id = any($1)`, [ids]);
  return rows.map(toMonitor);
}

/** Selects those of the ids `$2` that belong to monitors of the organization `$1`. */
export const EXISTING_IDS = 'select id from monitor where organization_id = $1 and id = any($2)';

/** Returns which of the given ids belong to the organization's monitors. */
export async function existingMonitorIds(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['monitor'], 'id'>>(EXISTING_IDS, [organizationId, ids]);
  return rows.map((row) => row.id);
}

export async function saveMonitor(tx: Transaction, monitor: Monitor): Promise<void> {
  const { id, organizationId, ...changes } = toRow(monitor);
  await tx.em.nativeUpdate(MonitorEntity, { id, organizationId }, changes);
}

/** Deletes a monitor with its state, schedule and open rounds. Its history must be deleted separately. */
export async function deleteMonitor(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await tx.em.nativeDelete(MonitorEntity, { id, organizationId });
}

/** Removes a deleted channel from all monitors of the organization. */
export async function unlinkChannel(tx: Transaction, organizationId: string, channelId: string): Promise<void> {
  await tx.query(
    'update monitor set alert_channel_ids = array_remove(alert_channel_ids, $2) where organization_id = $1 and alert_channel_ids @> array[$2::uuid]',
    [organizationId, channelId],
  );
}

/** Fields of a monitor that are needed to evaluate the results of its rounds and determine its state. */
export type MonitorToDecide = Pick<
  Monitor,
  | 'id'
  | 'organizationId'
  | 'checkType'
  | 'intervalSeconds'
  | 'confirmDownMinutes'
  | 'confirmUpMinutes'
  | 'confirmDownAfter'
  | 'confirmUpAfter'
>;

/**
 * Returns those of the given monitors that are enabled, and locks them until the transaction ends, so that no other
 * transaction evaluates or changes them.
 */
export async function lockToDecide(tx: Transaction, ids: readonly string[]): Promise<MonitorToDecide[]> {
  // The rows are locked in the order of their ids, to avoid deadlocks.
  return tx.query<MonitorToDecide>(
    `select id, organization_id as "organizationId", check_type as "checkType", interval_seconds as "intervalSeconds",
       confirm_down_minutes as "confirmDownMinutes", confirm_up_minutes as "confirmUpMinutes",
       confirm_down_after as "confirmDownAfter", confirm_up_after as "confirmUpAfter"
     from monitor where id = any($1) and enabled order by id for no key update`,
    [ids],
  );
}
