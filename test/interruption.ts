import type { Reporter, Vitest } from 'vitest/node';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Cancels the current vitest run on a signal, so that the shared servers are stopped. */
export class Interruption implements Reporter {
  happened = false;

  onInit(vitest: Vitest): void {
    for (const signal of signals) {
      // vitest's own listener would end the process at once and leave the servers running.
      process.removeAllListeners(signal);
      process.once(signal, () => {
        this.happened = true;
        void vitest.cancelCurrentRun('keyboard-input');
      });
    }
  }
}
