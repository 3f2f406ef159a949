import { expect, test } from 'vitest';
import { lines } from '../test/log-lines.ts';
import { backoff, createRuntime, pause, untilItWorks } from './index.ts';

test.each([
  [1, 100],
  [2, 200],
  [4, 800],
  [7, 5_000],
  [1_000, 5_000],
])('the delay before attempt %i is at most %i ms, and at least half of that time', (attempt, full) => {
  for (let sample = 0; sample < 100; sample += 1) {
    const wait = backoff(attempt);
    expect(wait).toBeGreaterThanOrEqual(full / 2);
    expect(wait).toBeLessThanOrEqual(full);
    // The result must be a whole number of milliseconds, because NATS ignores other delays.
    expect(Number.isInteger(wait)).toBe(true);
  }
});

test('a pause ends at once if its signal aborts before or during it', async () => {
  await pause(60_000, AbortSignal.abort());
  const stop = new AbortController();
  const paused = pause(60_000, stop.signal);
  stop.abort();
  await paused;
});

test('a failing step is retried until it succeeds, and each distinct error is logged once', async () => {
  const log = lines();
  const runtime = createRuntime('test', { logTo: log.stream });
  const reasons = ['refused', 'refused', 'not ready', 'not ready'];
  const result = await untilItWorks('the thing', runtime, async () => {
    const reason = reasons.shift();
    if (reason) throw new Error(reason);
    return 'works';
  });
  expect(result).toBe('works');
  expect(log.written().map(({ msg }) => msg)).toEqual([
    'waiting for the thing: refused',
    'waiting for the thing: not ready',
  ]);
});

test('aborting stops the retries and rejects with the last error', async () => {
  const stop = new AbortController();
  const runtime = createRuntime('test', { logLevel: 'silent', signal: stop.signal });
  const attempt = untilItWorks('the thing', runtime, async () => {
    stop.abort();
    throw new Error('refused');
  });
  await expect(attempt).rejects.toThrow('refused');
});
