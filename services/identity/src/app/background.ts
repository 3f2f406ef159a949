import { FairSlots, type Logger, pause } from '@tocsin/runtime';

/** Runs work after the response to a request, so that the response time does not depend on the work. */
export interface Background extends AsyncDisposable {
  /**
   * Starts work for a tenant, such as a network or an organization. Retries work that fails. If too much work is
   * waiting, drops the new work and logs an error.
   */
  run(tenant: string, what: string, work: () => Promise<void>): void;
}

const SLOTS = { slots: 16, perTenant: 4, waitingPerTenant: 50, waiting: 1_000 };

/** Delays before the first and the second retry, in milliseconds. */
const WAITS_MS = [1_000, 5_000];

/**
 * Returns a runner of background work. Disposing it waits for running work. Work that fails during disposal is not
 * retried.
 */
export function startBackground(logger: Logger): Background {
  const slots = new FairSlots(SLOTS);
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function repeat(what: string, work: () => Promise<void>): Promise<void> {
    for (const waitMs of [...WAITS_MS, undefined]) {
      try {
        return await work();
      } catch (error) {
        if (waitMs === undefined || stopping.signal.aborted) throw error;
        logger.warn({ err: error }, `${what} failed and will be tried again`);
        await pause(waitMs, stopping.signal);
      }
    }
  }

  return {
    run(tenant, what, work) {
      const done = slots
        .run(tenant, () => repeat(what, work))
        .catch((error: unknown) => logger.error({ err: error }, `${what} failed`))
        .finally(() => running.delete(done));
      running.add(done);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
