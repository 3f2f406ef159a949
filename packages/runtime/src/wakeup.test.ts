import { expect, test } from 'vitest';
import { createWakeup } from './wakeup.ts';

const LONG_MS = 60_000;

test('ring() ends a wait', async () => {
  const wakeup = createWakeup();
  const woken = wakeup.wait(LONG_MS);
  wakeup.ring();
  await woken;
});

test('after several calls of ring(), only the first of two waits ends at once', async () => {
  const wakeup = createWakeup();
  wakeup.ring();
  wakeup.ring();
  await wakeup.wait(LONG_MS);
  let woken = false;
  const second = wakeup.wait(LONG_MS).then(() => {
    woken = true;
  });
  await Promise.resolve();
  expect(woken).toBe(false);
  wakeup.ring();
  await second;
});

test('a wait without ring() ends after its timeout', async () => {
  await createWakeup().wait(1);
});
