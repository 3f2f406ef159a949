import { dueAtOnceIf, type Transaction } from '@tocsin/database';
import { LN_GAMMA, SHORTEST_MS } from '../../domain/history/time-sketch.ts';
import { OUTSIDE_MAINTENANCE } from '../maintenance/maintenance-store.ts';

export interface Progress {
  readonly sealedTo: Date;
  readonly rolledTo: Date;
}

/**
 * SQL expression for whether an hour has to be counted or recounted; `$1` is the time. An hour is counted `settleMs`
 * after its end. An hour that is recounted may not have been counted yet.
 */
export function rollUpDueSql(settleMs: number): string {
  const hasBacklog =
    'exists (select from roll_up_progress where rolled_to < sealed_to) or exists (select from roll_up_due)';
  const nextHour = `(select min(sealed_to) + interval '1 hour' + make_interval(secs => ${settleMs / 1_000}) from roll_up_progress)`;
  return `least(${dueAtOnceIf(hasBacklog)}, ${nextHour})`;
}

export async function findProgress(tx: Transaction): Promise<Progress> {
  const [row] = await tx.query<Progress>(
    'select sealed_to as "sealedTo", rolled_to as "rolledTo" from roll_up_progress',
  );
  if (!row) throw new Error('roll_up_progress has no row');
  return row;
}

/**
 * Tries to acquire the lock for counting results. The transaction holds the lock until it ends. Returns false if
 * another transaction has the lock.
 */
export async function becomeRoller(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ mine: boolean }>(
    "select pg_try_advisory_xact_lock(hashtext(current_schema() || '.roll_up')) as mine",
  );
  return row?.mine ?? false;
}

export async function saveRolledTo(tx: Transaction, rolledTo: Date): Promise<void> {
  await tx.query('update roll_up_progress set rolled_to = $1', [rolledTo]);
}

const COUNTED = 'monitor_id, organization_id, region, passed, failed, errors, timeouts, time_buckets, time_counts';

/**
 * Recalculates the counts of an hour from its results, for the given monitors or, if undefined, for all monitors. The
 * counts depend only on the results, so repeated calls have no further effect. Response times are counted only for
 * passed checks, because the times of failed checks say nothing about the target's performance.
 */
export async function rollHour(tx: Transaction, hour: Date, monitorIds?: readonly string[]): Promise<void> {
  const ids = monitorIds ?? null;
  await tx.query('delete from result_hour where hour = $1 and ($2::uuid[] is null or monitor_id = any($2))', [
    hour,
    ids,
  ]);
  await tx.query(
    `insert into result_hour (hour, ${COUNTED})
     select $1, monitor_id, organization_id, region,
       coalesce(sum(n) filter (where outcome = 'pass'), 0), coalesce(sum(n) filter (where outcome = 'fail'), 0),
       coalesce(sum(n) filter (where outcome = 'error'), 0), coalesce(sum(n) filter (where outcome = 'timeout'), 0),
       coalesce(array_agg(bucket order by bucket) filter (where bucket is not null), '{}'),
       coalesce(array_agg(n order by bucket) filter (where bucket is not null), '{}')
     from (
       select monitor_id, organization_id, region, outcome, ${bucketSql('outcome', 'total_ms')} as bucket, count(*)::integer as n
       from check_result
       where round_at >= $1 and round_at < $1 + interval '1 hour' and outcome <> 'unknown' and ${OUTSIDE_MAINTENANCE}
         and ($2::uuid[] is null or monitor_id = any($2))
       group by 1, 2, 3, 4, 5
     ) as counted
     group by monitor_id, organization_id, region order by monitor_id, region`,
    [hour, ids],
  );
}

/** Recalculates the counts of a day from its hours, for the given monitors or, if undefined, for all monitors. */
export async function rollDay(tx: Transaction, day: Date, monitorIds?: readonly string[]): Promise<void> {
  const ids = monitorIds ?? null;
  await tx.query('delete from result_day where day = $1 and ($2::uuid[] is null or monitor_id = any($2))', [day, ids]);
  await tx.query(
    `with hours as materialized (
       select ${COUNTED} from result_hour
       where hour >= $1 and hour < $1 + interval '1 day' and ($2::uuid[] is null or monitor_id = any($2))
     ), buckets as (
       select monitor_id, region, bucket, sum(n)::integer as n from hours, unnest(time_buckets, time_counts) as t(bucket, n)
       group by monitor_id, region, bucket
     ), sketches as (
       select monitor_id, region, array_agg(bucket order by bucket) as time_buckets, array_agg(n order by bucket) as time_counts
       from buckets group by monitor_id, region
     ), counts as (
       select monitor_id, organization_id, region, sum(passed) as passed, sum(failed) as failed, sum(errors) as errors, sum(timeouts) as timeouts
       from hours group by monitor_id, organization_id, region
     )
     insert into result_day (day, ${COUNTED})
     select $1, monitor_id, organization_id, region, passed, failed, errors, timeouts,
       coalesce(time_buckets, '{}'), coalesce(time_counts, '{}')
     from counts left join sketches using (monitor_id, region) order by monitor_id, region`,
    [day, ids],
  );
}

/**
 * Returns an SQL expression for the sketch bucket of a result. The expression computes the same bucket as bucketOf(),
 * or null if the check did not pass or has no response time.
 */
export function bucketSql(outcome: string, milliseconds: string): string {
  return `case when ${outcome} = 'pass' and ${milliseconds} is not null then ceil(ln(greatest(${milliseconds}, ${SHORTEST_MS})) / ${LN_GAMMA})::smallint end`;
}

/** An hour for which the counts of a monitor have to be recalculated. */
export interface DueHour {
  readonly monitorId: string;
  readonly hour: Date;
}

/** Removes up to `limit` hours before `rolledTo` from the queue of hours to recalculate, and returns them. */
export async function popDueHours(tx: Transaction, rolledTo: Date, limit: number): Promise<DueHour[]> {
  return tx.query<DueHour>(
    `delete from roll_up_due where id in (select id from roll_up_due where hour < $1 order by id limit $2)
     returning monitor_id as "monitorId", hour`,
    [rolledTo, limit],
  );
}
