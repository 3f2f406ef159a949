import type { Transaction } from '@tocsin/database';
import type { DayCount } from '../../domain/history/day-count.ts';

/** Records that the counts of a day have changed, for the given monitors or, if undefined, for all monitors. */
export async function recordDayChanges(tx: Transaction, day: Date, monitorIds?: readonly string[]): Promise<void> {
  await tx.query(
    `insert into day_due (monitor_id, organization_id, day)
     select distinct monitor.id, monitor.organization_id, $1::timestamptz
     from result_day join monitor on monitor.id = monitor_id
     where day = $1 and ($2::uuid[] is null or monitor_id = any($2))
     -- The update locks an existing row, so that a concurrent reader either sees the new counts or skips the row.
     on conflict (monitor_id, day) do update set organization_id = excluded.organization_id`,
    [day, monitorIds ?? null],
  );
}

/**
 * Removes up to `limit` days from the queue of days to publish, and returns their counts. Concurrent replicas get
 * different days.
 */
export async function popDays(tx: Transaction, limit: number): Promise<DayCount[]> {
  return tx.query<DayCount>(
    `with taken as (
       delete from day_due where (monitor_id, day) in (select monitor_id, day from day_due limit $1 for update skip locked)
       returning monitor_id, day
     )
     select monitor_id as "monitorId", organization_id as "organizationId", day,
       avg(100.0 * passed / (passed + failed + errors + timeouts))::double precision as "uptimePct",
       sum(passed)::integer as passed, sum(failed)::integer as failed, sum(errors)::integer as errors, sum(timeouts)::integer as timeouts
     from taken join result_day using (monitor_id, day)
     where passed + failed + errors + timeouts > 0
     group by monitor_id, organization_id, day order by monitor_id, day`,
    [limit],
  );
}
