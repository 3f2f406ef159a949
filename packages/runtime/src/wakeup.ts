export interface Wakeup {
  /** Wakes the waiter. Without a waiter, the next call of `wait` returns immediately. */
  ring(): void;
  /** Waits for a wakeup, at most `limitMs` milliseconds. Supports one waiter. */
  wait(limitMs: number): Promise<void>;
}

/** Returns an object for waits that can be interrupted. It is cheaper than an AbortController for each wait. */
export function createWakeup(): Wakeup {
  let rung = false;
  let response = () => {};
  return {
    ring() {
      rung = true;
      response();
    },
    async wait(limitMs) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, limitMs);
          response = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
    },
  };
}
