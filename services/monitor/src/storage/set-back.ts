import type { Transaction } from '@tocsin/database';

/**
 * Maximum number of milliseconds by which stored times are ahead of a correct clock. They can be ahead because rounds
 * are opened before they are due.
 */
const AHEAD_MS = 5_000;

/**
 * Corrects stored times after a clock that was ahead has been set back to `now`. Deletes rounds and results whose times
 * are in the future, and moves all other future times back. Without the correction, nothing would be due until the
 * clock reached the stored times, and all results until then would count as older than the last round.
 */
export async function deleteFuture(tx: Transaction, now: Date): Promise<void> {
  const end = new Date(now.getTime() + AHEAD_MS);
  await tx.query('delete from open_round where round_at > $1', [end]);
  await tx.query('delete from check_result where round_at > $1', [end]);
  await tx.query(
    `delete from silence
     where first_at > $1`,
    [end],
  );
  await tx.query('delete from presence where since > $1', [now]);
  await tx.query('update presence set seen_at = $1 where seen_at > $1', [now]);
  await tx.query(
    `update schedule set next_round_at = $1 where next_round_at > $2::timestamptz + make_interval(secs => interval_seconds)`,
    [now, end],
  );
  await tx.query(
    `update silence_watch set look_at = $1, watched_from = least(watched_from, $1)
     where watched_from > $1 or monitor_id in (select monitor_id from monitor_state where last_round_at > $2)`,
    [now, end],
  );
  await tx.query(
    `update monitor_state set entered_at = least(entered_at, $1), previous_entered_at = least(previous_entered_at, $1),
       streak_since = least(streak_since, $1), last_round_at = least(last_round_at, $1)
     where last_round_at > $2 or entered_at > $2`,
    [now, end],
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
