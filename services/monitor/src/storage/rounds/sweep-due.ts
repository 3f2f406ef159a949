import type { Database } from '@tocsin/database';
import { NOTE_EVERY_MS } from './staleness-store.ts';

/**
 * Seconds before now in which a deadline must lie to be found. PostgreSQL can't remove the index entries of closed
 * rounds while a long transaction is open, such as a dump, and without this limit each call would read all of them.
 */
const FOUND_SECONDS = 10;

/**
 * Returns whether a round has been past its deadline or a staleness check has been due for at most 10 s, or it is time
 * to record again that the service is running. The latter is so every 5 s; look then for what has been due for longer.
 * Uses one round trip, because it is called often and usually returns false.
 */
export async function isSweepDue(database: Database, now: Date): Promise<boolean> {
  const [row] = await database.read<{ is_due: boolean }>(
    'every organization',
    `select exists (select from open_round where deadline < $1 and deadline > $1::timestamptz - make_interval(secs => $3))
       or exists (select from silence_watch where look_at <= $1 and look_at > $1::timestamptz - make_interval(secs => $3))
       or not exists (
         -- A later time shows that the clock was set back.
         select from presence where seen_at between $1::timestamptz - make_interval(secs => $2) and $1::timestamptz + make_interval(secs => $2)
       ) as is_due`,
    [now, NOTE_EVERY_MS / 1_000, FOUND_SECONDS],
  );
  return row?.is_due ?? true;
}
