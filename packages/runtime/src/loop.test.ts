import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { lines } from '../test/log-lines.ts';
import { createRuntime, startLoop } from './index.ts';
import { pauseBefore } from './loop.ts';

const quiet = createRuntime('test', { logLevel: 'silent' });

test('a loop runs without pauses until its work is done, and then pauses', async () => {
  let runs = 0;
  await using _loop = startLoop('working', 3_600_000, quiet, async () => {
    runs += 1;
    return runs < 5 ? 'again' : 'done';
  });
  await eventually(() => expect(runs).toBe(5));
});

test('a loop pauses until its work is due, at most for its interval', async () => {
  let runs = 0;
  await using _due = startLoop('working', 3_600_000, quiet, async () => {
    runs += 1;
    return { dueInMs: 1 };
  });
  await eventually(() => expect(runs).toBeGreaterThan(2));

  let others = 0;
  await using _frequent = startLoop('working', 1, quiet, async () => {
    others += 1;
    return { dueInMs: 3_600_000 };
  });
  await eventually(() => expect(others).toBeGreaterThan(2));
});

test('a failed run is logged and retried', async () => {
  const log = lines();
  let runs = 0;
  await using _loop = startLoop('working', 1, createRuntime('test', { logTo: log.stream }), async () => {
    runs += 1;
    if (runs === 1) throw new Error('the database is unavailable');
    return 'done';
  });
  await eventually(() => expect(runs).toBeGreaterThan(2));
  expect(log.written().map(({ msg }) => msg)).toEqual([
    'working failed and will be tried again: the database is unavailable',
  ]);
});

test('disposing aborts the current run and waits for its end', async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const finish = Promise.withResolvers<void>();
  const order: string[] = [];
  const loop = startLoop('working', 1, quiet, async (signal) => {
    begun.resolve(signal);
    await finish.promise;
    order.push('run ended');
    return 'again';
  });
  const signal = await begun.promise;
  const disposed = loop[Symbol.asyncDispose]().then(() => order.push('disposed'));
  expect(signal.aborted).toBe(true);
  finish.resolve();
  await disposed;
  expect(order).toEqual(['run ended', 'disposed']);
});

test('pauses of the same interval end together, after about the interval at most', () => {
  expect(pauseBefore(1_000, 20_300)).toBe(700);
  expect(pauseBefore(1_000, 21_000)).toBe(1_000);
  expect(pauseBefore(10_000, 20_300)).toBe(9_700);
  // The timer fired a moment early.
  expect(pauseBefore(1_000, 20_999)).toBe(1_001);
});

test('short intervals are kept', () => {
  expect(pauseBefore(200, 20_300)).toBe(200);
});
