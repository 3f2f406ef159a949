import { expect, test } from 'vitest';
import { compareWithOracle } from './oracle/oracle.ts';

test('500 random lives of a monitor are judged as the naive model judges them, through every transition', () => {
  const steps = compareWithOracle(500);
  for (const step of [
    ...['pending → up', 'pending → down', 'pending → stale', 'up → down', 'up → stale', 'up → pending', 'down → up'],
    ...['down → pending', 'stale → up', 'stale → down', 'stale → pending'],
  ]) {
    expect([step, (steps.get(step) ?? 0) > 0]).toEqual([step, true]);
  }
});
