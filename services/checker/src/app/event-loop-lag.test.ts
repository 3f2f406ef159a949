import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLagMeter } from './event-loop-lag.ts';

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('a measurement contains the time for which the event loop was blocked, less the tolerated delay', async () => {
  const meter = createLagMeter();
  using before = meter.measure();
  block(500);
  using after = meter.measure();
  await delay(10);
  expect(before.blockedMs()).toBeGreaterThanOrEqual(350);
  expect(before.blockedMs()).toBeLessThan(5_000);
  expect(after.blockedMs()).toBeLessThan(300);
});

test('between measurements, no timer runs, and the time does not count', async () => {
  const idle = timers();
  const meter = createLagMeter();
  {
    using _measurement = meter.measure();
    using _second = meter.measure();
    expect(timers()).toBe(idle + 1);
  }
  expect(timers()).toBe(idle);
  block(500);
  using measurement = meter.measure();
  await delay(10);
  expect(measurement.blockedMs()).toBeLessThan(300);
});
