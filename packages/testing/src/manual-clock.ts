/** A clock that only moves when a test advances it. */
export interface ManualClock {
  now(): Date;
  /** Moves the time on; a negative number moves it back, as a corrected clock would. */
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
