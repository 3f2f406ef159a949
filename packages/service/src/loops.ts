import type { Database } from '@tocsin/database';
import { type LoopOutcome, type Runtime, startLoop } from '@tocsin/runtime';

/** Work that a service repeats. */
export interface Loop {
  /** Name of the work in log lines, such as "rolling up results". */
  readonly name: string;
  /** Maximum time between two runs, in milliseconds. With `dueSql`, runs without work are left out. */
  readonly everyMs: number;
  /**
   * SQL expression of type timestamptz for the time at which the loop has work; null if it has none. `$1` is the time
   * of the service. The loop may then have no work. The expression is evaluated up to once a second, so it has to read
   * few rows of an index, regardless of the planner's statistics: `(select min(due_at) from task)` does.
   */
  readonly dueSql?: string;
  readonly run: (signal: AbortSignal) => Promise<LoopOutcome>;
}

export interface LoopOptions {
  readonly database: Pick<Database, 'read' | 'endedTransactions'>;
  readonly runtime: Runtime;
  readonly now: () => Date;
}

/** Milliseconds between two readings of the due times, and maximum delay after a due time. */
const POLL_MS = 1_000;

/**
 * Time for which a service relies on the due times that it has read, in milliseconds. It applies if the service shares
 * its process, because such a service usually has no replicas: until one of its own transactions ends, its due times
 * remain the same. What another replica has stored just before it crashed is found at the next reading, within 5 s.
 */
const QUIET_MS = 4_500;

/** Returns how long a service relies on what it has read, in milliseconds, until one of its own transactions ends. */
export function quietMsOf({ sharesProcess }: Pick<Runtime, 'sharesProcess'>): number {
  return sharesProcess ? QUIET_MS : 0;
}

/**
 * Starts loops. Each runs once at the start. A loop with `dueSql` then runs only while it has work. At most one
 * statement a second evaluates the due times of all loops, so that a service without work costs little. Loops do not
 * wait for each other. A failure is logged and retried with growing delays. Disposing waits for the current runs.
 */
export function startLoops(loops: readonly Loop[], options: LoopOptions): AsyncDisposable {
  const { runtime } = options;
  const stack = new AsyncDisposableStack();
  const waiting = loops.flatMap((loop) => (loop.dueSql === undefined ? [] : [{ ...loop, dueSql: loop.dueSql }]));
  const poller = new DuePoller(
    waiting.map(({ dueSql }) => dueSql),
    options,
  );
  if (waiting.length > 0) stack.use(startLoop('looking for due work', POLL_MS, runtime, () => poller.poll()));
  for (const [index, loop] of waiting.entries()) {
    const run = runWhenDue(loop, (signal) => poller.untilDue(index, signal));
    stack.use(startLoop(loop.name, loop.everyMs, runtime, run));
  }
  for (const { name, everyMs, dueSql, run } of loops) {
    if (dueSql === undefined) stack.use(startLoop(name, everyMs, runtime, run));
  }
  return stack;
}

/** Returns work that waits until it is due, except for the first run and after a run that left work. */
function runWhenDue(
  { everyMs, run }: Pick<Loop, 'everyMs' | 'run'>,
  untilDue: (signal: AbortSignal) => Promise<void>,
): Loop['run'] {
  let hasWork = true;
  return async (signal) => {
    if (!hasWork) await untilDue(signal);
    if (signal.aborted) return 'done';
    // A run that fails is repeated, even if the loop is no longer due.
    hasWork = true;
    const outcome = await run(signal);
    hasWork = outcome !== 'done';
    return outcome === 'done' ? { dueInMs: Math.max(0, everyMs - POLL_MS) } : outcome;
  };
}

/** Due times that were read. */
interface DueTimes {
  /** Number of the service's transactions that had ended before the due times were read. */
  readonly endedTransactions: number;
  /** Earliest due time of the waiting loops, in milliseconds since 1970; infinite if none of them has work. */
  readonly firstMs: number;
  /** Time of the monotonic clock until which the due times are relied on, in milliseconds. */
  readonly reliableUntil: number;
}

/** Evaluates the due times of loops in one statement, and ends the waits of the loops that are due. */
class DuePoller {
  readonly #options: LoopOptions;
  readonly #sql: string;
  readonly #quietMs: number;
  /** Functions that end the waits, by the index of the loop. */
  readonly #waits = new Map<number, () => void>();
  /** Undefined if the due time of a waiting loop is unknown. */
  #dueTimes: DueTimes | undefined;

  constructor(dueSql: readonly string[], options: LoopOptions) {
    this.#options = options;
    this.#quietMs = quietMsOf(options.runtime);
    const columns = dueSql.map((sql, index) => `extract(epoch from ${sql}) * 1000 as "${index}"`);
    // The first column declares the type of the parameter.
    this.#sql = ['select $1::timestamptz as now', ...columns].join();
  }

  async poll(): Promise<'done'> {
    const { database, now } = this.#options;
    const at = now();
    if (this.#waits.size === 0 || this.#isQuiet(at)) return 'done';
    const { endedTransactions } = database;
    const reliableUntil = performance.now() + this.#quietMs;
    const [row] = await database.read<Record<string, unknown>>('every organization', this.#sql, [at]);
    let firstMs = Number.POSITIVE_INFINITY;
    for (const [index, end] of this.#waits) {
      const dueMs = Number(row?.[index] ?? Number.POSITIVE_INFINITY);
      if (dueMs <= at.getTime()) end();
      else firstMs = Math.min(firstMs, dueMs);
    }
    this.#dueTimes = { endedTransactions, firstMs, reliableUntil };
    return 'done';
  }

  /** Returns whether no loop that waits can be due at a time, according to the due times that were read. */
  #isQuiet(at: Date): boolean {
    const known = this.#dueTimes;
    return (
      known !== undefined &&
      known.endedTransactions === this.#options.database.endedTransactions &&
      at.getTime() < known.firstMs &&
      performance.now() < known.reliableUntil
    );
  }

  /** Waits until a loop is due, or until the signal aborts. Supports one waiter for each loop. */
  async untilDue(index: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    this.#waits.set(index, end);
    this.#dueTimes = undefined;
    signal.addEventListener('abort', end);
    await promise;
    signal.removeEventListener('abort', end);
    this.#waits.delete(index);
  }
}
