import { expect, test } from 'vitest';
import { compareWithOracle } from '../../services/monitor/test/oracle/oracle.ts';

test('10,000 random lives of a monitor are judged as the naive model judges them', () => {
  const steps = compareWithOracle(10_000);
  console.table(Object.fromEntries([...steps].sort()));
  expect(steps.size).toBeGreaterThanOrEqual(11);
});
