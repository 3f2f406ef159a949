import { expect, test } from 'vitest';
import { hostileReceivers } from '../../services/notifier/test/hostile-receivers.ts';

const MINUTE_MS = 60_000;

test("120 monitors with hostile receivers for two minutes lose no alert and do not delay another organization's", async () => {
  const figures = await hostileReceivers({
    monitors: 120,
    outageMs: 2 * MINUTE_MS,
    retryBaseMs: 2_000,
    timeoutMs: 25 * MINUTE_MS,
  });
  console.table(figures);
  expect(figures.p99).toBeLessThan(1_000);
});
