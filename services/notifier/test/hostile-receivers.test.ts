import { expect, test } from 'vitest';
import { hostileReceivers } from './hostile-receivers.ts';

test("alerts to hostile receivers are not lost, do not exceed rate limits, and do not delay another organization's alerts", async () => {
  const figures = await hostileReceivers({ monitors: 8, outageMs: 8_000, retryBaseMs: 100, timeoutMs: 75_000 });
  console.table(figures);
  // Alerts do not wait for the hostile receivers, which recover after 8 s. A stricter limit of one second is tested in
  // test/long, because it requires an idle machine.
  expect(figures.p99).toBeLessThan(5_000);
}, 90_000);
