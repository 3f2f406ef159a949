import { expect, test } from 'vitest';
import { createWakeup } from './wakeup.ts';

const LONG_MS = 60_000;

test('a ring wakes who waits', async () => {
  const bell = createWakeup();
  const woken = bell.wait(LONG_MS);
  bell.ring();
  await woken;
});

test('a ring that comes before is not lost, and wakes once', async () => {
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

test('without a ring the wait ends by itself', async () => {
  await createWakeup().wait(1);
});
