import { expect, test } from 'vitest';
import { compareWithOracle } from '../../services/monitor/test/oracle/oracle.ts';

test('the evaluator and a simple model compute the same states for 10,000 random histories, which contain every transition', () => {
  const steps = compareWithOracle(10_000);
  console.table(Object.fromEntries([...steps].sort()));
  expect([...steps.keys()]).toEqual(
    expect.arrayContaining([
      ...['pending → up', 'pending → down', 'pending → stale', 'up → down', 'up → stale', 'up → pending'],
      ...['down → up', 'down → pending', 'stale → up', 'stale → down', 'stale → pending'],
    ]),
  );
});
