/** Measures how long the event loop is blocked, because the process is suspended or a computation takes long. */
export interface LagMeter {
  /** Starts a measurement, which ends when it is disposed. */
  measure(): LagMeasurement;
}

export interface LagMeasurement extends Disposable {
  /** Returns the milliseconds for which the event loop was blocked since the start of the measurement. */
  blockedMs(): number;
}

const TICK_MS = 100;

/** Timer delays up to this value are ignored, because they are normal in a busy process. */
const TOLERATED_MS = 100;

/** Retention of measured lag. Must be longer than the longest check. */
const REMEMBERED_MS = 120_000;

/** Returns a meter that uses the delays of a timer. The timer runs only during measurements. */
export function createLagMeter(): LagMeter {
  const blocks: { readonly from: number; readonly to: number }[] = [];
  let ticked = 0;
  let measurements = 0;
  let clock: NodeJS.Timeout | undefined;

  function tick(): void {
    const now = performance.now();
    if (now - ticked > TICK_MS + TOLERATED_MS) blocks.push({ from: ticked + TICK_MS, to: now });
    ticked = now;
    while (blocks[0] && blocks[0].to < now - REMEMBERED_MS) blocks.shift();
  }

  function blockedSince(start: number): number {
    const now = performance.now();
    // Include a block that has just ended, because the timer may not have measured it yet.
    const last = now - ticked > TICK_MS + TOLERATED_MS ? [{ from: ticked + TICK_MS, to: now }] : [];
    return [...blocks, ...last].reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, start)), 0);
  }

  return {
    measure() {
      const start = performance.now();
      measurements += 1;
      if (measurements === 1) {
        ticked = start;
        clock = setInterval(tick, TICK_MS);
      }
      return {
        blockedMs: () => blockedSince(start),
        [Symbol.dispose]() {
          measurements -= 1;
          if (measurements === 0) clearInterval(clock);
        },
      };
    },
  };
}
