import type { Transaction } from '@tocsin/database';
import type { ComponentStatus } from '@tocsin/enums';
import type { EnteredTime, StatusInterval } from '../domain/day-bars.ts';
import type { MonitorCondition, ShownStatus } from '../domain/shown-status.ts';
import type { PageKey } from './structure-store.ts';
import type { Tables } from './tables.ts';

/** Data from which the shown status of a component is computed. */
export interface StatusInputs {
  readonly componentId: string;
  readonly status: ComponentStatus;
  readonly monitors: readonly (MonitorCondition | undefined)[];
}

/** Returns the inputs of the statuses that components show now. Components that don't exist are left out. */
export async function readStatusInputs(
  tx: Transaction,
  organizationId: string,
  componentIds: readonly string[],
): Promise<StatusInputs[]> {
  const rows = await tx.query<{
    id: string;
    status: ComponentStatus;
    monitors: (MonitorCondition | null)[];
  }>(
    `select c.id, c.status, coalesce(jsonb_agg(
              case when m.monitor_id is not null then
                jsonb_build_object('enabled', m.enabled, 'state', m.state, 'isOverdue', m.is_overdue) end)
              filter (where l.monitor_id is not null), '[]') as monitors
     from component c
     left join component_monitor l on l.component_id = c.id
     left join monitor_condition m on m.monitor_id = l.monitor_id and m.organization_id = c.organization_id
     where c.organization_id = $1 and c.id = any($2) group by c.id`,
    [organizationId, componentIds],
  );
  return rows.map(({ id, status, monitors }) => ({
    componentId: id,
    status,
    monitors: monitors.map((monitor) => monitor ?? undefined),
  }));
}

export interface RecordedStatus {
  readonly componentId: string;
  readonly status: ShownStatus;
}

/**
 * Starts a new interval for each component whose shown status differs from the status of its open interval. A new
 * interval never starts before the open one. If `at` is not after the start of the open interval, because events from
 * different services arrived out of order, the open interval gets the new status instead.
 */
export async function recordStatuses(
  tx: Transaction,
  organizationId: string,
  statuses: readonly RecordedStatus[],
  at: Date,
): Promise<void> {
  if (statuses.length === 0) return;
  const values = [
    organizationId,
    statuses.map(({ componentId }) => componentId),
    statuses.map(({ status }) => status),
    at,
  ];
  await tx.query(
    `update component_interval i
     set status = case when i.started_at >= $4 then t.status else i.status end,
         ended_at = case when i.started_at >= $4 then null else $4::timestamptz end
     from unnest($2::uuid[], $3::text[]) as t(id, status)
     where i.organization_id = $1 and i.component_id = t.id and i.ended_at is null and i.status <> t.status`,
    values,
  );
  // If the component still has an open interval, there is a conflict and nothing is inserted.
  await tx.query(
    `insert into component_interval (component_id, organization_id, status, started_at)
     select t.id, $1, t.status, $4 from unnest($2::uuid[], $3::text[]) as t(id, status)
     on conflict (component_id) where ended_at is null do nothing`,
    values,
  );
}

/**
 * Maximum number of intervals that are read for a page. If there are more, only the open and the newest ended ones are
 * read, and the page shows earlier days as days without data.
 */
const MAX_INTERVALS = 20_000;

/** Returns the intervals of a page's components that ended after `since` or are still open, by component. */
export async function listIntervals(
  tx: Transaction,
  { organizationId, pageId }: PageKey,
  since: Date,
): Promise<Map<string, StatusInterval[]>> {
  const rows = await tx.query<
    Pick<Tables['component_interval'], 'component_id' | 'started_at' | 'ended_at'> & { status: ShownStatus }
  >(
    `select i.component_id, i.status, i.started_at, i.ended_at
     from component_interval i join component c on c.id = i.component_id
     where i.organization_id = $1 and c.organization_id = $1 and c.status_page_id = $2
       and (i.ended_at is null or i.ended_at > $3)
     order by i.ended_at is null desc, i.started_at desc limit ${MAX_INTERVALS}`,
    [organizationId, pageId, since],
  );
  const byComponent = Map.groupBy(rows, ({ component_id }) => component_id);
  return new Map(
    [...byComponent].map(([id, intervals]) => [
      id,
      intervals.map((row) => ({ status: row.status, startedAt: row.started_at, endedAt: row.ended_at ?? undefined })),
    ]),
  );
}

/**
 * Maximum number of rows that `listEnteredTimes` reads for a page. Each pair of a disruption and a component has a row.
 */
const MAX_ENTERED = 5_000;

/**
 * Returns, by component, the periods after `since` in which a disruption affected the component but had not been
 * entered yet. The intervals don't contain these periods, because the disruption was entered later.
 */
export async function listEnteredTimes(
  tx: Transaction,
  { organizationId, pageId }: PageKey,
  since: Date,
): Promise<Map<string, EnteredTime[]>> {
  const rows = await tx.query<{
    component_id: string;
    status: ComponentStatus;
    auto_created: boolean;
    started_at: Date;
    ended_at: Date;
  }>(
    `select a.component_id, a.status, d.auto_created, d.started_at, least(d.resolved_at, d.created_at) as ended_at
     from disruption_component a join disruption_view d on d.id = a.disruption_id
     where a.organization_id = $1 and d.organization_id = $1 and a.status_page_id = $2
       and a.component_id in (select id from component where organization_id = $1 and status_page_id = $2)
       and d.status_page_ids @> array[$2::uuid] and a.status <> 'operational'
       and least(d.resolved_at, d.created_at) > greatest(d.started_at, $3)
     order by d.started_at desc limit ${MAX_ENTERED}`,
    [organizationId, pageId, since],
  );
  const byComponent = Map.groupBy(rows, ({ component_id }) => component_id);
  return new Map(
    [...byComponent].map(([id, times]) => [
      id,
      times.map((row) => ({
        status: row.status,
        isAutomatic: row.auto_created,
        startedAt: row.started_at,
        endedAt: row.ended_at,
      })),
    ]),
  );
}

export interface ComponentKey {
  readonly organizationId: string;
  readonly componentId: string;
}

/** Locks up to `limit` components without an open interval. Needs a transaction across organizations. */
export async function claimWithoutInterval(tx: Transaction, limit: number): Promise<ComponentKey[]> {
  const rows = await tx.query<Pick<Tables['component'], 'id' | 'organization_id'>>(
    `select id, organization_id from component c
     where not exists (select from component_interval i where i.component_id = c.id and i.ended_at is null)
     order by id limit $1 for update skip locked`,
    [limit],
  );
  return rows.map((row) => ({ organizationId: row.organization_id, componentId: row.id }));
}

/** Deletes up to `limit` intervals that ended before a time, and returns their number. */
export async function deleteOldIntervals(
  tx: Transaction,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const rows = await tx.query(
    `delete from component_interval where (component_id, started_at) in (
       select component_id, started_at from component_interval where ended_at < $1 limit $2) returning 1`,
    [before, limit],
  );
  return rows.length;
}
