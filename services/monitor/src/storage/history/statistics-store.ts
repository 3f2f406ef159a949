import type { Transaction } from '@tocsin/database';
import type { Piece } from '../../domain/history/history-range.ts';
import type { Counts } from '../../domain/history/statistics.ts';
import type { TimeSketch } from '../../domain/history/time-sketch.ts';
import { OUTSIDE_MAINTENANCE } from '../maintenance/maintenance-store.ts';
import { bucketSql } from './roll-up-store.ts';

type Parts = Readonly<Record<Piece['source'], string>>;

const TIME: Parts = { days: 'day', hours: 'hour', results: 'round_at' };

const COUNTS: Parts = {
  days: 'select region, passed, failed, errors, timeouts from result_day where monitor_id = $1',
  hours: 'select region, passed, failed, errors, timeouts from result_hour where monitor_id = $1',
  results: `select region, (outcome = 'pass')::integer, (outcome = 'fail')::integer, (outcome = 'error')::integer,
    (outcome = 'timeout')::integer from check_result where monitor_id = $1 and ${OUTSIDE_MAINTENANCE}`,
};

const TIMES: Parts = {
  days: 'select region, bucket, n from result_day, unnest(time_buckets, time_counts) as t(bucket, n) where monitor_id = $1',
  hours:
    'select region, bucket, n from result_hour, unnest(time_buckets, time_counts) as t(bucket, n) where monitor_id = $1',
  results: `select region, ${bucketSql('outcome', 'total_ms')}, 1 from check_result
    where outcome = 'pass' and total_ms is not null and monitor_id = $1 and ${OUTSIDE_MAINTENANCE}`,
};

/** Returns the number of a monitor's checks by outcome, for each region that has checks. */
export async function countOutcomes(tx: Transaction, monitorId: string, pieces: readonly Piece[]): Promise<Counts[]> {
  const { sql, parameters } = union(COUNTS, monitorId, pieces);
  return tx.query<Counts>(
    `select sum(passed)::integer as pass, sum(failed)::integer as fail, sum(errors)::integer as error, sum(timeouts)::integer as timeout
     from (${sql}) as piece(region, passed, failed, errors, timeouts) group by region`,
    parameters,
  );
}

/** Returns the response times of a monitor's passed checks by region. */
export async function sketchTimes(
  tx: Transaction,
  monitorId: string,
  pieces: readonly Piece[],
): Promise<Map<string, TimeSketch>> {
  const { sql, parameters } = union(TIMES, monitorId, pieces);
  const rows = await tx.query<{ region: string; bucket: number; n: number }>(
    `select region, bucket, sum(n)::integer as n from (${sql}) as piece(region, bucket, n) group by region, bucket`,
    parameters,
  );
  const regions = Map.groupBy(rows, (row) => row.region);
  return new Map(
    [...regions].map(([region, buckets]) => [region, new Map(buckets.map(({ bucket, n }) => [bucket, n]))]),
  );
}

function union(parts: Parts, monitorId: string, pieces: readonly Piece[]) {
  const sql = pieces.map(
    ({ source }, index) =>
      `${parts[source]} and ${TIME[source]} >= $${2 * index + 2} and ${TIME[source]} < $${2 * index + 3}`,
  );
  return { sql: sql.join(' union all '), parameters: [monitorId, ...pieces.flatMap(({ from, to }) => [from, to])] };
}
