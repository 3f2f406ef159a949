import type { Transaction } from '@tocsin/database';
import { OWN_MILLISECONDS } from './rounds/schedule-store.ts';

/**
 * Maximum number of milliseconds by which stored times are ahead of a correct clock. They can be ahead because rounds
 * are opened before they are due.
 */
const AHEAD_MS = 5_000;

/**
 * Corrects stored times after the clock has been set back to `now`. Deletes open rounds whose times are in the future,
 * and moves other future times back. Without the correction, nothing would be due until the clock reached the stored
 * times, and all results until then would count as older than the last round.
 *
 * Results are not deleted, because their checks took place. The rounds of the repeated time get times of their own (see
 * OWN_MILLISECONDS), so that stored results don't decide them. Hours that are repeated are counted again when they are
 * over. The start of an outage is not moved, because the outage's id is derived from it.
 */
export async function correctFuture(tx: Transaction, now: Date): Promise<void> {
  const end = new Date(now.getTime() + AHEAD_MS);
  await tx.query('delete from open_round where round_at > $1', [end]);
  await tx.query(
    `delete from silence
     where first_at > $1`,
    [end],
  );
  await tx.query('delete from presence where since > $1', [now]);
  await tx.query('update presence set seen_at = $1 where seen_at > $1', [now]);
  await tx.query(
    `update schedule set next_round_at = $1, offset_seconds = offset_seconds + ${OWN_MILLISECONDS} where next_round_at > $2::timestamptz + make_interval(secs => interval_seconds)`,
    [now, end],
  );
  await tx.query(
    `update silence_watch set look_at = $1, watched_from = least(watched_from, $1)
     where watched_from > $1 or monitor_id in (select monitor_id from monitor_state where last_round_at > $2)`,
    [now, end],
  );
  await tx.query(
    `update roll_up_progress set sealed_to = least(sealed_to, date_trunc('hour', $1::timestamptz, 'UTC')),
       rolled_to = least(rolled_to, date_trunc('hour', $1::timestamptz, 'UTC'))`,
    [now],
  );
  await tx.query(
    `update monitor_state set entered_at = case state when 'down' then entered_at else least(entered_at, $1) end,
       previous_entered_at = case previous_state when 'down' then previous_entered_at else least(previous_entered_at, $1) end,
       streak_since = least(streak_since, $3), last_round_at = least(last_round_at, $3)
     where last_round_at > $2 or entered_at > $2`,
    // The next round is due now, and must be later than the last round.
    [now, end, new Date(now.getTime() - 1)],
  );
  await tx.query(
    `with latest as (
       select monitor_id, $1::timestamptz + make_interval(secs => expected_seconds * misses) as miss_at from heartbeat
     )
     update heartbeat set miss_at = least(heartbeat.miss_at, latest.miss_at), due_at = least(due_at, latest.miss_at),
       job_started_at = least(job_started_at, $1), window_at = least(window_at, $1)
     from latest where latest.monitor_id = heartbeat.monitor_id
       and (heartbeat.miss_at > latest.miss_at or due_at > latest.miss_at or window_at > $1)`,
    [now],
  );
}
