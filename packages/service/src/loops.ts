import type { Database } from '@tocsin/database';
import { type LoopOutcome, type Runtime, startLoop } from '@tocsin/runtime';

/** Work that a service repeats. */
export interface Loop {
  /** Name of the work in log lines, such as "rolling up results". */
  readonly name: string;
  /** Maximum time between two runs, in milliseconds. With `dueSql`, runs without work are left out. */
  readonly everyMs: number;
  /**
   * SQL expression that is true if the loop has work; `$1` is the time of the service. It may be true without work.
   * While it is false or null, work waits. It is evaluated once a second, so it has to read few rows of an index,
   * regardless of the planner's statistics: `(select min(due_at) from task) <= $1` does.
   */
  readonly dueSql?: string;
  readonly run: (signal: AbortSignal) => Promise<LoopOutcome>;
}

export interface LoopOptions {
  readonly database: Pick<Database, 'read'>;
  readonly runtime: Runtime;
  readonly now: () => Date;
}

/** Milliseconds between two readings of the conditions. */
const POLL_MS = 1_000;

/**
 * Starts loops. Each runs once at the start. A loop with `dueSql` then runs only while it has work. One statement a
 * second evaluates the conditions of all loops, so that a service without work costs little. Loops do not wait for each
 * other. A failure is logged and retried with growing delays. Disposing waits for the current runs.
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
  for (const [condition, loop] of waiting.entries()) {
    const run = runWhenDue(loop, (signal) => poller.untilTrue(condition, signal));
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
    // A run that fails is repeated, even if the condition is no longer true.
    hasWork = true;
    const outcome = await run(signal);
    hasWork = outcome !== 'done';
    return outcome === 'done' ? { dueInMs: Math.max(0, everyMs - POLL_MS) } : outcome;
  };
}

/** Evaluates SQL conditions in one statement, and ends the waits for those that are true. */
class DuePoller {
  readonly #options: Pick<LoopOptions, 'database' | 'now'>;
  readonly #sql: string;
  /** Functions that end the waits, by the index of the condition. */
  readonly #waits = new Map<number, () => void>();

  constructor(conditions: readonly string[], options: Pick<LoopOptions, 'database' | 'now'>) {
    this.#options = options;
    // The first column declares the type of the parameter.
    this.#sql = ['select $1::timestamptz as now', ...conditions.map((sql, index) => `(${sql}) as "${index}"`)].join();
  }

  async poll(): Promise<'done'> {
    if (this.#waits.size === 0) return 'done';
    const { database, now } = this.#options;
    const [row] = await database.read<Record<string, unknown>>('every organization', this.#sql, [now()]);
    for (const [condition, end] of this.#waits) if (row?.[condition] === true) end();
    return 'done';
  }

  /** Waits until a condition is true, or until the signal aborts. Supports one waiter for each condition. */
  async untilTrue(condition: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    this.#waits.set(condition, end);
    signal.addEventListener('abort', end);
    await promise;
    signal.removeEventListener('abort', end);
    this.#waits.delete(condition);
  }
}
