/** Measures how long the event loop was blocked, because the process was suspended or a computation took long. */
export interface EventLoopLag extends Disposable {
  /** Returns the milliseconds for which the event loop was blocked since a `performance.now()` time. */
  since(start: number): number;
}

const TICK_MS = 100;

/** Timer delays up to this value are ignored, because they are normal in a busy process. */
const TOLERATED_MS = 100;

/** Retention of measured lag. Must be longer than the longest check. */
const REMEMBERED_MS = 120_000;

/** Starts a timer whose delays measure the lag. */
export function watchEventLoopLag(): EventLoopLag {
  const stalls: { readonly from: number; readonly to: number }[] = [];
  let ticked = performance.now();
  const clock = setInterval(() => {
    const now = performance.now();
    if (now - ticked > TICK_MS + TOLERATED_MS) stalls.push({ from: ticked + TICK_MS, to: now });
    ticked = now;
    while (stalls[0] && stalls[0].to < now - REMEMBERED_MS) stalls.shift();
  }, TICK_MS);
  clock.unref();

  return {
    since(start) {
      const now = performance.now();
      // Include a stall that has just ended, because the timer may not have measured it yet.
      const last = now - ticked > TICK_MS + TOLERATED_MS ? [{ from: ticked + TICK_MS, to: now }] : [];
      return [...stalls, ...last].reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, start)), 0);
    },
    [Symbol.dispose]() {
      clearInterval(clock);
    },
  };
}
