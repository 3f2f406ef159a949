import { NOTE_EVERY_MS } from './staleness-store.ts';

const NOTE_INTERVAL = `make_interval(secs => ${NOTE_EVERY_MS / 1_000})`;

/**
 * Time before which nothing is looked for. PostgreSQL can't remove the index entries of closed rounds while a long
 * transaction is open, such as a dump, and without this limit each evaluation would read all of them.
 */
const FOUND_SINCE = "$1::timestamptz - interval '10 seconds'";

/**
 * SQL expression for whether a round has been past its deadline or a staleness check has been due for at most 10 s, or
 * it is time to record again that the service is running; `$1` is the time. The latter is true every 5 s. The sweep
 * that then runs also finds what has been due for longer.
 */
export const SWEEP_DUE = `(select min(deadline) from open_round where deadline > ${FOUND_SINCE}) < $1
  or (select min(look_at) from silence_watch where look_at > ${FOUND_SINCE}) <= $1
  or not exists (
    -- A later time shows that the clock was set back.
    select from presence where seen_at between $1::timestamptz - ${NOTE_INTERVAL} and $1::timestamptz + ${NOTE_INTERVAL}
  )`;
