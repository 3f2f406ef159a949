import { openDatabase, type Transaction } from '@tocsin/database';
import type pg from 'pg';
import { floorToDay, floorToHour } from '../../services/monitor/src/domain/history/history-range.ts';
import { ensurePartitions } from '../../services/monitor/src/storage/history/partitions.ts';
import { rollDay, rollHour } from '../../services/monitor/src/storage/history/roll-up-store.ts';
import { INTERVAL_SECONDS } from './scale-data.ts';

/** Number of monitors whose results of an hour are inserted and counted. */
const MONITORS = 5_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Inserts an hour of results of up to 5,000 monitors, and measures the disk that they take and the time to count them,
 * and a day of them. Also measures how much disk they would take in one row with arrays for each monitor and hour.
 */
export async function measureStorage(
  client: pg.Client,
  adminUrl: string,
  monitors: number,
): Promise<Record<string, string>> {
  // The partitions of yesterday and today exist. The hour before the installation's first one is never counted by it.
  const hour = new Date(floorToHour(new Date()).getTime() - 2 * HOUR_MS);
  const sizeBefore = await sizeOf(client, 'check_result');
  const { rowCount: results } = await client.query(
    `insert into check_result (monitor_id, organization_id, round_at, region, outcome, error, status_code, dns_ms, connect_ms,
       tls_ms, first_byte_ms, total_ms, checked_at)
     select monitor_id, organization_id, at + make_interval(secs => offset_seconds), 'local', 'pass', '', 200, 1.2, 10.5, 20.25, took * 0.9, took, at
     from generate_series($1::timestamptz, $1::timestamptz + interval '59 minutes', make_interval(secs => $2)) as at,
       (select monitor_id, monitor.organization_id, offset_seconds from schedule join monitor on monitor.id = monitor_id limit $3) as chosen,
       lateral (select 100 * exp(random_normal() * 0.4 + 0 * extract(epoch from at) * offset_seconds::float8) as took) as seen
     order by at, offset_seconds`,
    [hour, INTERVAL_SECONDS, MONITORS],
  );
  const millions = (results ?? 0) / 1e6;
  const bytes = (await sizeOf(client, 'check_result')) - sizeBefore;
  await client.query(
    `create table packed as
     select monitor_id, organization_id, region, $1::timestamptz as hour,
       array_agg((extract(epoch from round_at - $1::timestamptz) * 1000)::integer order by round_at) as round_ms,
       array_agg(outcome::"char" order by round_at) as outcomes, array_agg(status_code order by round_at) as status_codes,
       array_agg(dns_ms order by round_at) as dns_ms, array_agg(connect_ms order by round_at) as connect_ms,
       array_agg(tls_ms order by round_at) as tls_ms, array_agg(first_byte_ms order by round_at) as first_byte_ms,
       array_agg(total_ms order by round_at) as total_ms
     from check_result where round_at >= $1 and round_at < $1::timestamptz + interval '1 hour' group by 1, 2, 3`,
    [hour],
  );
  await client.query('alter table packed add primary key (monitor_id, hour, region)');
  const { rows: packed } = await client.query<{ bytes: number }>(
    `select pg_total_relation_size('packed')::float8 as bytes`,
  );
  const packedBytes = packed[0]?.bytes ?? 0;

  const url = new URL(adminUrl);
  url.searchParams.set('options', '-c search_path=monitor');
  await using database = await openDatabase({ url: url.href, entities: [], migrations: [] });
  const secondsOf = async (work: (tx: Transaction) => Promise<void>) => {
    const began = performance.now();
    await database.transaction('every organization', work);
    return (performance.now() - began) / 1000;
  };
  const hourSeconds = await secondsOf((tx) => rollHour(tx, hour));
  const yesterday = new Date(floorToDay(hour).getTime() - DAY_MS);
  await database.transaction('every organization', (tx) => ensurePartitions(tx, yesterday, yesterday));
  await client.query(
    `insert into result_hour (hour, monitor_id, organization_id, region, passed, failed, errors, timeouts, time_buckets, time_counts)
     select $1::timestamptz + make_interval(hours => number), monitor_id, organization_id, region, passed, failed, errors, timeouts, time_buckets, time_counts
     from result_hour, generate_series(0, 23) as number where hour = $2`,
    [yesterday, hour],
  );
  const daySeconds = await secondsOf((tx) => rollDay(tx, yesterday));
  const factor = monitors / Math.min(MONITORS, monitors);

  const resultsPerDay = (monitors * 86_400) / INTERVAL_SECONDS;
  const perMillion = bytes / 1e6 / millions;
  const gigabytes = (millionsOfResults: number) => ((perMillion * millionsOfResults) / 1e3).toFixed(0);
  return {
    'MB per million results': perMillion.toFixed(0),
    'of it heap / index': (await heapShare(client)).map((share) => `${(share * perMillion).toFixed(0)}`).join(' / '),
    'MB per million in a row for each hour': (packedBytes / 1e6 / millions).toFixed(0),
    'GB a day, calculated': gigabytes(resultsPerDay / 1e6),
    'GB of 90 days, calculated': gigabytes((90 * resultsPerDay) / 1e6),
    'seconds to count an hour, calculated': (hourSeconds * factor).toFixed(0),
    'seconds to count a day, calculated': (daySeconds * factor).toFixed(0),
  };
}

async function sizeOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree($1::regclass)',
    [table],
  );
  return Number(rows[0]?.bytes);
}

/** Returns the shares of the rows and of the index in the size of all results. */
async function heapShare(client: pg.Client): Promise<[number, number]> {
  const { rows } = await client.query<{ share: number }>(
    `select (sum(pg_table_size(relid)) / sum(pg_total_relation_size(relid)))::float8 as share from pg_partition_tree('check_result')
     where isleaf`,
  );
  const share = rows[0]?.share ?? 0;
  return [share, 1 - share];
}
