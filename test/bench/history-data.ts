import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '@tocsin/database';
import { floorToDay, floorToHour } from '../../services/monitor/src/domain/history/history-range.ts';
import { dropOldPartitions, ensurePartitions } from '../../services/monitor/src/storage/history/partitions.ts';
import { rollDay, rollHour } from '../../services/monitor/src/storage/history/roll-up-store.ts';

export const INTERVAL_SECONDS = 30;
export const REGIONS = ['us-east', 'eu-west', 'ap-south'];
export const DAYS = 90;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Number of hours with individual results, which are needed for a range of one day. Earlier hours have only counts. */
const HOURS_OF_RESULTS = 25;

export interface Loaded {
  readonly organizationId: string;
  readonly monitorIds: readonly string[];
  readonly results: number;
  /** Seconds that the roll-up of one hour took. */
  readonly rollSeconds: number;
}

/** Fills an empty history with 90 days of results for monitors that are checked every 30 seconds in three regions. */
export async function loadHistory(database: Database, monitors: number, now: Date): Promise<Loaded> {
  const organizationId = randomUUID();
  const monitorIds = Array.from({ length: monitors }, () => randomUUID());
  const inAll = <Result>(work: (tx: Transaction) => Promise<Result>) =>
    database.transaction('every organization', work);
  const end = floorToHour(now);
  const first = new Date(end.getTime() - HOURS_OF_RESULTS * HOUR_MS);

  await inAll(async (tx) => {
    await dropOldPartitions(tx, now);
    await ensurePartitions(tx, new Date(now.getTime() - (DAYS + 1) * DAY_MS), now);
    await tx.query(
      `insert into monitor (id, organization_id, name, check_type, enabled, interval_seconds, timeout_ms, confirm_down_minutes,
         confirm_up_minutes, confirm_down_after, confirm_up_after, config_json, alert_channel_ids, version, created_at, updated_at)
       select id, $2, 'Shop', 'http', false, $3, 10000, 1, 3, 3, 1, '{}', '{}', 1, now(), now() from unnest($1::uuid[]) as id`,
      [monitorIds, organizationId, INTERVAL_SECONDS],
    );
  });
  for (let hour = first.getTime(); hour <= end.getTime(); hour += HOUR_MS) {
    const until = new Date(Math.min(hour + HOUR_MS, now.getTime()));
    await inAll((tx) => insertHour(tx, monitorIds, organizationId, new Date(hour), until));
  }
  await inAll((tx) => insertBeside(tx, organizationId, now));
  const began = performance.now();
  await inAll((tx) => rollHour(tx, first));
  const rollSeconds = (performance.now() - began) / 1000;
  for (let hour = first.getTime() + HOUR_MS; hour < end.getTime(); hour += HOUR_MS) {
    await inAll((tx) => rollHour(tx, new Date(hour)));
  }
  await inAll((tx) => copyBack(tx, end));
  await inAll((tx) => tx.query('update roll_up_progress set sealed_to = $1, rolled_to = $1', [end]));
  const [counted] = await inAll((tx) => tx.query<{ n: number }>('select count(*) as n from check_result'));
  await inAll((tx) => tx.query('analyze'));
  return { organizationId, monitorIds, results: counted?.n ?? 0, rollSeconds };
}

/** Inserts the other rows of each monitor: a state, a certificate for each region, and a state change per day. */
async function insertBeside(tx: Transaction, organizationId: string, now: Date): Promise<void> {
  await tx.query(
    `insert into monitor_state (monitor_id, organization_id, state, entered_at, streak_verdict, streak_since, streak_rounds, last_round_at)
     select id, $1, 'up', $2, 'pass', $2, 1, $2 from monitor`,
    [organizationId, now],
  );
  await tx.query(
    `insert into certificate (monitor_id, organization_id, region, fingerprint, issuer, subject, not_after, valid, problem, first_seen_at)
     select id, $1, region, md5(id::text), 'Authority', 'example.com', $2::timestamptz + interval '60 days', true, '', $2
     from monitor, unnest($3::text[]) as region`,
    [organizationId, now, REGIONS],
  );
  const votes = JSON.stringify(REGIONS.map((region) => ({ region, outcome: 'fail', error: 'status 502' })));
  await tx.query(
    `insert into transition (id, monitor_id, organization_id, state, previous_state, entered_at, error, explanation, rule, streak_since, streak_rounds, votes)
     select gen_random_uuid(), id, $1, case when day % 2 = 0 then 'up' else 'down' end, case when day % 2 = 0 then 'down' else 'up' end,
       $2::timestamptz - make_interval(days => day), 'status 502', '3 of 3 regions failed for 1 min: status 502', 'confirmed_down', $2, 3, $4::jsonb
     from monitor, generate_series(1, $3::integer) as day`,
    [organizationId, now, DAYS, votes],
  );
}

/** Inserts one hour of results with realistic response times. One result in a hundred is a failure. */
async function insertHour(
  tx: Transaction,
  monitorIds: readonly string[],
  organizationId: string,
  from: Date,
  to: Date,
): Promise<void> {
  await tx.query(
    `insert into check_result (monitor_id, organization_id, round_at, region, outcome, error, status_code, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, checked_at)
     select monitor_id, $2, at, region, case when failed then 'fail' else 'pass' end, case when failed then 'status 502, expected 200 to 399' else '' end,
       case when failed then 502 else 200 end, 1, 10, 20, took * 0.9, took, at
     from generate_series($3::timestamptz, $4::timestamptz - interval '1 millisecond', make_interval(secs => ${INTERVAL_SECONDS})) as at, unnest($1::uuid[]) as monitor_id,
       unnest($5::text[]) as region, lateral (select random() < 0.01 as failed, 100 * exp(random_normal() * 0.4 + 0 * extract(epoch from at)) as took) as seen`,
    [monitorIds, organizationId, from, to, REGIONS],
  );
}

/**
 * Copies the hourly counts of the last 24 hours to every earlier day. Then rolls up the last complete day, and copies
 * its daily counts to every earlier day.
 */
async function copyBack(tx: Transaction, end: Date): Promise<void> {
  const columns = 'monitor_id, organization_id, region, passed, failed, errors, timeouts, time_buckets, time_counts';
  for (let days = 1; days <= DAYS; days += 1) {
    await tx.query(
      `insert into result_hour (hour, ${columns}) select hour - make_interval(days => $2), ${columns} from result_hour
       where hour >= $1::timestamptz - interval '1 day' and hour < $1 and hour - make_interval(days => $2) < $1::timestamptz - interval '25 hours'
       order by hour, monitor_id, region`,
      [end, days],
    );
  }
  const day = new Date(floorToDay(end).getTime() - DAY_MS);
  await rollDay(tx, day);
  await tx.query(
    `insert into result_day (day, ${columns}) select day - make_interval(days => back), ${columns} from result_day, generate_series(1, $2) as back
     where day = $1 order by back, monitor_id, region`,
    [day, DAYS],
  );
}
