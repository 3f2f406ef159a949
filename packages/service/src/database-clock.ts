import type { Database } from '@tocsin/database';
import { type LoopOutcome, type Runtime, startLoop, untilItWorks } from '@tocsin/runtime';

export interface DatabaseClock extends AsyncDisposable {
  /** Returns the time. After this host was suspended, the returned time may be too early for up to ten seconds. */
  now(): Date;
  /** Reads the clock of the database again, and returns its time. */
  read(): Promise<Date>;
}

/** Parts that tests replace. */
interface Overrides {
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly performanceNow?: () => number;
  readonly readEveryMs?: number;
}

const READ_EVERY_MS = 10_000;

/**
 * Duration in milliseconds above which a reading of the clock is repeated, because its result may be wrong by half of
 * the duration. Also the delay before the repetition.
 */
const SLOW_MS = 1_000;

/**
 * Starts a clock with the time of the database server. All programs that share a database therefore agree on the time,
 * even if the clock of a program's host is wrong or is changed. Between readings, and while the database is
 * unavailable, the clock advances with the monotonic clock of this process.
 */
export async function startDatabaseClock(
  database: Pick<Database, 'read'>,
  runtime: Runtime,
  { performanceNow = () => performance.now(), readEveryMs = READ_EVERY_MS }: Overrides = {},
): Promise<DatabaseClock> {
  let aheadMs: number | undefined;

  async function read(): Promise<LoopOutcome> {
    const before = performanceNow();
    const [row] = await database.read<{ ms: number }>('every organization', TIME_SQL);
    const tookMs = performanceNow() - before;
    if (row) aheadMs = adjusted(aheadMs, row.ms - before - tookMs / 2, tookMs / 2);
    return tookMs > SLOW_MS ? { dueInMs: SLOW_MS } : 'done';
  }

  await untilItWorks('the clock of the database', runtime, read);
  const loop = startLoop('reading the clock of the database', readEveryMs, runtime, read);
  const now = () => new Date((aheadMs ?? 0) + performanceNow());
  return {
    now,
    async read() {
      await read();
      return now();
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}

const TIME_SQL = 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms';

/**
 * Returns the offset of the database's clock to use after a reading. `uncertainty` is the maximum error of the reading,
 * which is half the duration of its query. Returns the known offset if `read` differs from it by at most this error, so
 * that the clock does not jitter.
 */
function adjusted(known: number | undefined, read: number, uncertainty: number): number {
  return known !== undefined && Math.abs(read - known) <= uncertainty ? known : read;
}
