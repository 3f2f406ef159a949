import { expect, test } from 'vitest';
import { compareWithOracle } from './oracle/oracle.ts';

test('the product and a simple second implementation agree on the states of 500 random histories', () => {
  const steps = compareWithOracle(500);
  // Some rare transitions may be missing from 500 histories. The 10,000 histories of the long tests contain all eleven
  // transitions.
  expect(steps.size).toBeGreaterThanOrEqual(7);
});
