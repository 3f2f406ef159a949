/** Tells how long the process stood still: because it was stopped, or had more to compute than it could. */
export interface EventLoopLag extends Disposable {
  /** Milliseconds since a moment (of `performance.now()`) in which nothing could run. */
  since(start: number): number;
}

const TICK_MS = 100;

/** What a busy process may be late at any time. */
const TOLERATED_MS = 100;

/** As long as the longest check takes, and more. */
const REMEMBERED_MS = 120_000;

/** Watches by a clock that should tick regularly. */
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
      // The clock may not have ticked yet after the stall that is asked about.
      const last = now - ticked > TICK_MS + TOLERATED_MS ? [{ from: ticked + TICK_MS, to: now }] : [];
      return [...stalls, ...last].reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, start)), 0);
    },
    [Symbol.dispose]() {
      clearInterval(clock);
    },
  };
}
