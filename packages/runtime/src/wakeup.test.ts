import { expect, test } from 'vitest';
import { createWakeup } from './wakeup.ts';

const LONG_MS = 60_000;

test('wake() ends a wait', async () => {
  const bell = createWakeup();
  const woken = bell.wait(LONG_MS);
  bell.ring();
  await woken;
});

test('a wake() before the wait ends the next wait only', async () => {
  const bell = createWakeup();
  bell.ring();
  bell.ring();
  await bell.wait(LONG_MS);
  let woken = false;
  const second = bell.wait(LONG_MS).then(() => {
    woken = true;
  });
  await Promise.resolve();
  expect(woken).toBe(false);
  bell.ring();
  await second;
});

test('a wait without wake() ends after its timeout', async () => {
  await createWakeup().wait(1);
});
