import { NOTE_EVERY_MS } from './staleness-store.ts';

const NOTE_INTERVAL = `make_interval(secs => ${NOTE_EVERY_MS / 1_000})`;

/**
 * Time before which nothing is looked for. PostgreSQL can't remove the index entries of closed rounds while a long
 * transaction is open, such as a dump, and without this limit each evaluation would read all of them.
 */
const FOUND_SINCE = "$1::timestamptz - interval '10 seconds'";

/**
 * SQL expression for the earliest time at which a round is past its deadline, a staleness check is due, or it is time
 * to record again that the service is running; `$1` is the time. Leaves out what has been due for more than 10 s. The
 * service records every 5 s that it is running, and the sweep that then runs also finds what has been due for longer.
 */
export const SWEEP_DUE = `least(
  (select min(deadline) from open_round where deadline > ${FOUND_SINCE}) + interval '1 millisecond',
  (select min(look_at) from silence_watch where look_at > ${FOUND_SINCE}),
  -- A later time in \`presence\` shows that the clock was set back.
  coalesce((
    select max(seen_at) + ${NOTE_INTERVAL} from presence
    where seen_at between $1::timestamptz - ${NOTE_INTERVAL} and $1::timestamptz + ${NOTE_INTERVAL}
  ), '-infinity')
)`;
