import { expect, test } from 'vitest';
import { sameUnderFault } from '../journeys/same-under-fault.ts';

const KILLS = 50;

test(`results that come twice, shuffled, with the monitor service killed ${KILLS} times, come to the same as in quiet`, async () => {
  const figures = await sameUnderFault({ kills: KILLS, seed: 50 });
  console.table(figures);
  // Some kills hit it in the middle of its work.
  expect(figures.hits).toBeGreaterThan(0);
  expect(figures.transitions).toBeGreaterThan(100);
});
