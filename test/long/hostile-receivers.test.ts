import { expect, test } from 'vitest';
import { hostileReceivers } from '../../services/notifier/test/hostile-receivers.ts';

const MINUTE_MS = 60_000;

test('if receivers are hostile for two minutes, no alert of 120 monitors is lost, and another organization gets its alerts without delay', async () => {
  const figures = await hostileReceivers({
    monitors: 120,
    outageMs: 2 * MINUTE_MS,
    retryBaseMs: 2_000,
    timeoutMs: 25 * MINUTE_MS,
  });
  console.table(figures);
  expect(figures.p99).toBeLessThan(1_000);
});
