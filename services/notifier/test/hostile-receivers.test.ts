import { expect, test } from 'vitest';
import { hostileReceivers } from './hostile-receivers.ts';

test("hostile receivers lose no alert, keep their limits, and do not delay another organization's alerts", async () => {
  const figures = await hostileReceivers({ monitors: 8, outageMs: 8_000, retryBaseMs: 100, timeoutMs: 75_000 });
  console.table(figures);
  expect(figures.p99).toBeLessThan(1_000);
}, 90_000);
