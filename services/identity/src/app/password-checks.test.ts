import { expect, test } from 'vitest';
import { createPasswordChecks, hashInTurn } from './password-checks.ts';

/** Waits until all promises that can settle have settled. */
const settled = () => new Promise(setImmediate);

test('one password per network is verified at a time, up to five more requests of the network wait, and further ones are refused', async () => {
  const passwordChecks = createPasswordChecks();
  const started: (() => void)[] = [];
  const check = (address: string) =>
    hashInTurn({ passwordChecks }, address, () => new Promise((resolve) => started.push(() => resolve(true))));
  const checks = Array.from({ length: 6 }, () => check('2001:db8::1'));
  await settled();
  expect(started).toHaveLength(1);
  expect(await check('2001:db8::2')).toBeUndefined();
  // A request from another network does not wait for requests from the first network.
  const other = check('192.0.2.1');
  await settled();
  expect(started).toHaveLength(2);
  for (let done = 0; done < 7; done += 1) {
    started[done]?.();
    await settled();
  }
  expect(await Promise.all([...checks, other])).toEqual(Array(7).fill(true));
});

test('at most two passwords are verified at the same time, even if three networks send one each', async () => {
  const passwordChecks = createPasswordChecks();
  let running = 0;
  for (let i = 1; i <= 3; i += 1) {
    void hashInTurn({ passwordChecks }, `192.0.2.${i}`, () => {
      running += 1;
      return new Promise(() => undefined);
    });
  }
  await settled();
  expect(running).toBe(2);
});

test('an error from a check is thrown', async () => {
  const failed = hashInTurn({ passwordChecks: createPasswordChecks() }, '192.0.2.1', () =>
    Promise.reject(new Error('no memory')),
  );
  await expect(failed).rejects.toThrow('no memory');
});
