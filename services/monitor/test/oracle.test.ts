import { expect, test } from 'vitest';
import { compareWithOracle } from './oracle/oracle.ts';

test('500 random lives of a monitor are judged as the naive model judges them', () => {
  const steps = compareWithOracle(500);
  // Rare ones may not be among so few; ten thousand, in the long tests, go through all eleven.
  expect(steps.size).toBeGreaterThanOrEqual(7);
});
