import { expect, test } from 'vitest';
import { sameUnderFault } from '../journeys/same-under-fault.ts';

const KILLS = 50;

test(`repeated and shuffled results lead to the same states, even if the monitor service is killed ${KILLS} times`, async () => {
  const figures = await sameUnderFault({ kills: KILLS, seed: 50 });
  console.table(figures);
  // At least one kill happened while rounds were open, so that it could affect their decisions.
  expect(figures.hits).toBeGreaterThan(0);
  expect(figures.transitions).toBeGreaterThan(100);
});
