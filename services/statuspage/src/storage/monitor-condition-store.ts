import type { Transaction } from '@tocsin/database';
import type { MonitorState } from '@tocsin/enums';
import type { MonitorCondition } from '../domain/shown-status.ts';
import type { Tables } from './tables.ts';

export interface MonitorKey {
  readonly organizationId: string;
  readonly monitorId: string;
}

/**
 * Saves the conditions of different monitors. Returns the ids of those that are new or changed. Deletes the stored time
 * of a monitor's next overdue check when it is enabled, because it was not checked while it was disabled.
 */
export async function saveMonitorConditions(
  tx: Transaction,
  organizationId: string,
  conditions: readonly { readonly monitorId: string; readonly condition: MonitorCondition }[],
): Promise<string[]> {
  const changed = await tx.query<Pick<Tables['monitor_condition'], 'monitor_id'>>(
    `insert into monitor_condition (organization_id, monitor_id, enabled, state)
     select $1, * from unnest($2::uuid[], $3::boolean[], $4::text[]) as t(id, enabled, state) order by id
     on conflict (monitor_id) do update set enabled = excluded.enabled, state = excluded.state,
       fresh_until = case when monitor_condition.enabled or not excluded.enabled then monitor_condition.fresh_until end,
       is_overdue = monitor_condition.is_overdue and (monitor_condition.enabled or not excluded.enabled)
       where (monitor_condition.enabled, monitor_condition.state) is distinct from (excluded.enabled, excluded.state)
     returning monitor_id`,
    [
      organizationId,
      conditions.map(({ monitorId }) => monitorId),
      conditions.map(({ condition }) => condition.enabled),
      conditions.map(({ condition }) => condition.state),
    ],
  );
  return changed.map(({ monitor_id }) => monitor_id);
}

export async function deleteMonitorCondition(
  tx: Transaction,
  { organizationId, monitorId }: MonitorKey,
): Promise<void> {
  await tx.query('delete from monitor_condition where organization_id = $1 and monitor_id = $2', [
    organizationId,
    monitorId,
  ]);
}

interface ConditionRow extends Pick<Tables['monitor_condition'], 'monitor_id' | 'enabled' | 'state' | 'fresh_until'> {
  state: MonitorState;
}

/** Returns the conditions of the monitors that a page's components are linked to, by id. */
export async function findMonitorConditions(
  tx: Transaction,
  { organizationId, pageId }: { organizationId: string; pageId: string },
): Promise<Map<string, MonitorCondition>> {
  const rows = await tx.query<ConditionRow>(
    `select distinct m.monitor_id, m.enabled, m.state, m.fresh_until
     from monitor_condition m
     join component_monitor l on l.monitor_id = m.monitor_id
     join component c on c.id = l.component_id
     where m.organization_id = $1 and c.organization_id = $1 and c.status_page_id = $2`,
    [organizationId, pageId],
  );
  return conditionsOf(rows);
}

/** Returns the conditions of the given monitors, by id. */
export async function findConditions(
  tx: Transaction,
  organizationId: string,
  monitorIds: readonly string[],
): Promise<Map<string, MonitorCondition>> {
  const rows = await tx.query<ConditionRow>(
    'select monitor_id, enabled, state, fresh_until from monitor_condition where organization_id = $1 and monitor_id = any($2)',
    [organizationId, monitorIds],
  );
  return conditionsOf(rows);
}

/**
 * Prevents the deletion of the conditions of the given monitors until the transaction ends. Returns the ids of the
 * monitors with a condition. Leaves out conditions that another transaction is deleting.
 */
export async function lockConditions(
  tx: Transaction,
  organizationId: string,
  monitorIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<Pick<ConditionRow, 'monitor_id'>>(
    `select monitor_id from monitor_condition where organization_id = $1 and monitor_id = any($2)
     for key share skip locked`,
    [organizationId, monitorIds],
  );
  return rows.map(({ monitor_id }) => monitor_id);
}

function conditionsOf(rows: readonly ConditionRow[]): Map<string, MonitorCondition> {
  return new Map(
    rows.map(({ monitor_id, enabled, state, fresh_until }) => [
      monitor_id,
      { enabled, state, freshUntil: fresh_until ?? undefined },
    ]),
  );
}
