import { expect, test } from 'vitest';
import { soak } from '../soak/soak.ts';

const FAULTS = 25;

/** The first minutes of test/long/soak.test.ts. It fills no disks, because that needs root. */
test(`${FAULTS} faults cause no lost, duplicate or false outage, and no page wrongly shows "operational"`, {
  timeout: 1_200_000,
}, async () => {
  const { violations, faults } = await soak({
    name: 'fault soak',
    faults: FAULTS,
    everyMs: [1_500, 4_000],
    weights: { kill: 44, pause: 12, cut: 26, clock: 8, 'lost store': 3 },
    targets: { targets: 10, each: 1, afterMs: [0, 40_000], lastsMs: [0, 20_000] },
    jobs: { targets: 2, each: 1, afterMs: [0, 20_000], lastsMs: [0, 10_000] },
  });
  expect(violations).toEqual([]);
  expect(faults.length).toBe(FAULTS);
});
