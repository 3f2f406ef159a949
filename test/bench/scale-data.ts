import { randomUUID } from 'node:crypto';
import type pg from 'pg';

export const INTERVAL_SECONDS = 60;

/** Number of monitors of each organization but the first. */
const PER_ORGANIZATION = 1_000;

/** Maximum number of monitors of the first organization, which is the default limit of an organization. */
const FIRST_ORGANIZATION = 10_000;

/** Milliseconds by which a monitor's rounds are moved in its interval, as in offsetOf(). */
const OFFSET_MS = `('x' || right(replace(id::text, '-', ''), 12))::bit(48)::bigint % ${INTERVAL_SECONDS * 1_000}`;

/** Time of the first round of `schedule` after `$1`. */
const NEXT_ROUND = `to_timestamp(ceil((extract(epoch from $1::timestamptz) - offset_seconds) / interval_seconds) * interval_seconds + offset_seconds)`;

const DAY_MS = 86_400_000;

/**
 * Inserts enabled http monitors, until there are `total` in all: up to a tenth of them for the organization that has
 * monitors already, and 1,000 for each other organization. No event announces them. They are not scheduled yet, see
 * activate().
 */
export async function insertMonitors(client: pg.Client, total: number): Promise<void> {
  const { rows } = await client.query<{ first: string; n: number }>(
    'select organization_id as first, count(*)::integer as n from monitor group by 1',
  );
  const { first = '', n = 0 } = rows[0] ?? {};
  let left = total - n;
  for (let organization = first; left > 0; organization = randomUUID()) {
    const wanted = organization === first ? Math.min(FIRST_ORGANIZATION, Math.ceil(total / 10)) : PER_ORGANIZATION;
    await insertOfOrganization(client, organization, Math.min(wanted, left));
    left -= Math.min(wanted, left);
  }
  await client.query('vacuum analyze monitor, monitor_state, schedule, silence_watch');
}

async function insertOfOrganization(client: pg.Client, organizationId: string, count: number): Promise<void> {
  await client.query(
    `with made as (
       insert into monitor (id, organization_id, name, check_type, enabled, interval_seconds, timeout_ms, confirm_down_minutes,
         confirm_up_minutes, confirm_down_after, confirm_up_after, config_json, alert_channel_ids, version, created_at, updated_at)
       select uuidv7(), $1, 'Shop ' || number, 'http', true, $3, 10000, 1, 3, 2, 3,
         '{"url":"https://shop-' || number || '.example.com/health"}', '{}', 1, now(), now()
       from generate_series(1, $2::integer) as number returning id
     ), decided as (
       -- The monitors are up, because a first round of each would publish an event.
       insert into monitor_state (monitor_id, organization_id, state, entered_at, streak_verdict, streak_since, streak_rounds, last_round_at)
       select id, $1, 'up', now(), 'pass', now(), 1, now() from made
     ), watched as (
       -- The staleness checks are spread, because those of real monitors are.
       insert into silence_watch (monitor_id, organization_id, watched_from, look_at)
       select id, $1, now(), now() + random() * interval '5 minutes' from made
     )
     insert into schedule (monitor_id, next_round_at, interval_seconds, offset_seconds, timeout_ms, config_version)
     select id, 'infinity', $3, (${OFFSET_MS}) / 1000.0, 10000, 1 from made`,
    [organizationId, count, INTERVAL_SECONDS],
  );
}

/** Schedules a share of the monitors at their next regular time, and the others in a day. */
export async function activate(client: pg.Client, share: number): Promise<void> {
  const inTwoSeconds = new Date(Date.now() + 2_000);
  await client.query(
    `update schedule set next_round_at = case when offset_seconds::numeric * 1000 % 100 < $2::numeric then ${NEXT_ROUND} else $3 end`,
    [inTwoSeconds, share * 100, new Date(Date.now() + DAY_MS)],
  );
}

/** Moves the schedule of all monitors back, as if nothing had run for `seconds` seconds. */
export async function pretendOutage(client: pg.Client, seconds: number): Promise<void> {
  await client.query('update schedule set next_round_at = next_round_at - make_interval(secs => $1)', [seconds]);
}
