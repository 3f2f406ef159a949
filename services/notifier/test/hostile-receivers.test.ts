import { expect, test } from 'vitest';
import { hostileReceivers } from './hostile-receivers.ts';

test("hostile receivers lose no alert, keep their limits, and do not delay another organization's alerts", async () => {
  const figures = await hostileReceivers({ monitors: 8, outageMs: 8_000, retryBaseMs: 100, timeoutMs: 75_000 });
  console.table(figures);
  // Less than the outage: they don't wait for it. The bound of a second is tested on a quiet machine (test/long).
  expect(figures.p99).toBeLessThan(5_000);
}, 90_000);
