import { expect, test } from 'vitest';
import { compareWithOracle } from './oracle/oracle.ts';

test('the states of a monitor in 500 random scenarios are those of the naive model', () => {
  const steps = compareWithOracle(500);
  // Rare transitions may be missing among so few; the ten thousand of the long tests have all eleven.
  expect(steps.size).toBeGreaterThanOrEqual(7);
});
