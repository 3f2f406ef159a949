import type { Database } from '@tocsin/database';
import { NOTE_EVERY_MS } from './staleness-store.ts';

/**
 * Returns whether a round is past its deadline, a staleness check is due, or it is time to record again that the
 * service is running. Uses one round trip, because it is called often and usually returns false.
 */
export async function isSweepDue(database: Database, now: Date): Promise<boolean> {
  const [row] = await database.read<{ is_due: boolean }>(
    'every organization',
    `select exists (select from open_round where deadline < $1) or exists (select from silence_watch where look_at <= $1)
       or not exists (
         -- A later time shows that the clock was set back.
         select from presence where seen_at between $1::timestamptz - make_interval(secs => $2) and $1::timestamptz + make_interval(secs => $2)
       ) as is_due`,
    [now, NOTE_EVERY_MS / 1_000],
  );
  return row?.is_due ?? true;
}
