import { expect, test } from 'vitest';
import { compareWithOracle } from './oracle/oracle.ts';

test('the states of a monitor in 500 random scenarios are those of the naive model', () => {
  const steps = compareWithOracle(500);
  // Rare ones may not be among so few; ten thousand, in the long tests, go through all eleven.
  expect(steps.size).toBeGreaterThanOrEqual(7);
});
