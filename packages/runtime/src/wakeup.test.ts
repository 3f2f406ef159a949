import { expect, test } from 'vitest';
import { createWakeup } from './wakeup.ts';

const LONG_MS = 60_000;

test('ring() ends a wait', async () => {
  const wakeup = createWakeup();
  const woken = wakeup.wait(LONG_MS);
  wakeup.ring();
  await woken;
});

test('several calls of ring() before a wait end this wait at once, but not the wait after it', async () => {
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
