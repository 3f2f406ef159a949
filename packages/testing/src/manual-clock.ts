/** A clock that moves only when a test advances it. */
export interface ManualClock {
  now(): Date;
  /** Moves the time forward. A negative number moves it back, like a clock correction. */
  advance(ms: number): void;
}

export function manualClock(start: Date | string = '2026-01-01T00:00:00Z'): ManualClock {
  let time = new Date(start).getTime();
  return {
    now: () => new Date(time),
    advance(ms) {
      time += ms;
    },
  };
}
