/** A clock in milliseconds, for `LRUCache` and for other durations. */
interface Clock {
  now(): number;
}

/**
 * Returns a clock that never goes back, and that also counts the time for which the machine was suspended.
 * `performance.now()` does not count that time, and `Date.now()` goes back when the clock of the machine is set back. A
 * clock that is set ahead counts as a suspension. Read the clock regularly, because it compares each reading with the
 * previous one.
 */
export function suspendClock(): Clock {
  let [wall, steady, elapsed] = [Date.now(), performance.now(), 0];
  return {
    now() {
      const [wallBefore, steadyBefore] = [wall, steady];
      [wall, steady] = [Date.now(), performance.now()];
      elapsed += Math.max(wall - wallBefore, steady - steadyBefore);
      return elapsed;
    },
  };
}
