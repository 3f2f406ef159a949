import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { addProcessMetrics, createRuntime } from './runtime.ts';

test('the delay of the event loop is measured at most ten times a second', async () => {
  const runtime = createRuntime('test', { logLevel: 'silent' });
  addProcessMetrics(runtime);
  const meanSeconds = async () => {
    const metrics = await runtime.metrics.metrics();
    const mean = Number(/^nodejs_eventloop_lag_mean_seconds\S* (\S+)$/m.exec(metrics)?.[1]);
    // The mean is not a number before the second measurement, and each reading starts again.
    expect(mean).toBeGreaterThan(0);
    return mean;
  };
  expect(await eventually(meanSeconds, { intervalMs: 500 })).toBeGreaterThan(0.05);
});
