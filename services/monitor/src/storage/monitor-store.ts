import type { Transaction } from '@tocsin/database';
import type { State } from '../domain/evaluate.ts';
import { CHECK_TYPES, type CheckType, type Monitor } from '../domain/monitor.ts';
import { MonitorEntity, type MonitorRow } from './schema.ts';

function toDomain(row: MonitorRow): Monitor {
  return { ...row, checkType: checkTypeOf(row.checkType) };
}

function checkTypeOf(text: string): CheckType {
  const found = CHECK_TYPES.find((type) => type === text);
  if (!found) throw new Error(`a stored monitor has the unknown type ${text}`);
  return found;
}

export async function insertMonitor(tx: Transaction, monitor: Monitor): Promise<void> {
  tx.em.create(MonitorEntity, { ...monitor, alertChannelIds: [...monitor.alertChannelIds] });
  await tx.em.flush();
}

export async function findMonitor(tx: Transaction, organizationId: string, id: string): Promise<Monitor | undefined> {
  const row = await tx.em.findOne(MonitorEntity, { id, organizationId });
  return row ? toDomain(row) : undefined;
}

/** Like findMonitor(), and nobody else may change it until the transaction ends. */
export async function lockMonitor(tx: Transaction, organizationId: string, id: string): Promise<Monitor | undefined> {
  await tx.query('select from monitor where id = $1 and organization_id = $2 for no key update', [id, organizationId]);
  return findMonitor(tx, organizationId, id);
}

/** What narrows a list of monitors; what is absent does not. */
export interface MonitorFilter {
  readonly checkType?: CheckType | undefined;
  readonly enabled?: boolean | undefined;
  /** `pending` includes monitors that nothing was decided about. */
  readonly state?: State | undefined;
  /** In whatever case. */
  readonly nameContains?: string | undefined;
}

/** One page of an organization's monitors, newest first, below the id `before`. */
export async function listMonitors(
  tx: Transaction,
  organizationId: string,
  filter: MonitorFilter,
  page: { readonly before: string | undefined; readonly limit: number | undefined },
): Promise<Monitor[]> {
  const { checkType = null, enabled = null, state = null, nameContains = '' } = filter;
  const ids = await tx.query<{ id: string }>(
    `select monitor.id from monitor left join monitor_state on monitor_state.monitor_id = monitor.id
     where monitor.organization_id = $1 and ($2::text is null or check_type = $2) and ($3::boolean is null or enabled = $3)
       and ($4::text is null or coalesce(state, 'pending') = $4) and ($5 = '' or strpos(lower(name), lower($5)) > 0)
       and ($6::uuid is null or monitor.id < $6)
     order by monitor.id desc limit $7`,
    [organizationId, checkType, enabled, state, nameContains, page.before ?? null, page.limit ?? null],
  );
  const rows = await tx.em.find(
    MonitorEntity,
    { organizationId, id: { $in: ids.map(({ id }) => id) } },
    { orderBy: { id: 'desc' } },
  );
  return rows.map(toDomain);
}

/** Of any organization, in no particular order; ids that are gone are left out. */
export async function findMonitorsOfAll(tx: Transaction, ids: readonly string[]): Promise<Monitor[]> {
  const rows = await tx.em.find(MonitorEntity, { id: { $in: [...ids] } });
  return rows.map(toDomain);
}

/** Those of the ids that are monitors of the organization. */
export async function existingMonitorIds(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>('select id from monitor where organization_id = $1 and id = any($2)', [
    organizationId,
    ids,
  ]);
  return rows.map((row) => row.id);
}

export async function saveMonitor(tx: Transaction, monitor: Monitor): Promise<void> {
  const { id, organizationId, ...changes } = monitor;
  await tx.em.nativeUpdate(
    MonitorEntity,
    { id, organizationId },
    { ...changes, alertChannelIds: [...changes.alertChannelIds] },
  );
}

/** Takes state, schedule and open rounds with it. */
export async function deleteMonitor(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await tx.em.nativeDelete(MonitorEntity, { id, organizationId });
  await tx.query('delete from check_result where monitor_id = $1', [id]);
}

/** Removes a channel that is gone from every monitor of the organization. */
export async function unlinkChannel(tx: Transaction, organizationId: string, channelId: string): Promise<void> {
  await tx.query(
    'update monitor set alert_channel_ids = array_remove(alert_channel_ids, $2) where organization_id = $1 and alert_channel_ids @> array[$2::uuid]',
    [organizationId, channelId],
  );
}

/** What the evaluator needs of a monitor. */
export type JudgedMonitor = Pick<
  Monitor,
  | 'id'
  | 'organizationId'
  | 'checkType'
  | 'confirmDownMinutes'
  | 'confirmUpMinutes'
  | 'confirmDownAfter'
  | 'confirmUpAfter'
>;

/** The enabled ones of some monitors; nobody else judges or changes them until the transaction ends. */
export async function lockForJudgement(tx: Transaction, ids: readonly string[]): Promise<JudgedMonitor[]> {
  // Always in the order of the ids, so that two judges never wait for each other.
  return tx.query<JudgedMonitor>(
    `select id, organization_id as "organizationId", check_type as "checkType",
       confirm_down_minutes as "confirmDownMinutes", confirm_up_minutes as "confirmUpMinutes",
       confirm_down_after as "confirmDownAfter", confirm_up_after as "confirmUpAfter"
     from monitor where id = any($1) and enabled order by id for no key update`,
    [ids],
  );
}
