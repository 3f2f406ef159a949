import { expect, test } from 'vitest';
import { soak } from '../soak/soak.ts';

const FAULTS = Number(process.env.TOCSIN_SOAK_FAULTS ?? 1_000);

test(`during ${FAULTS} faults, no outage is missed, duplicated or invented, and no page wrongly shows "operational"`, {
  timeout: 3 * 3_600_000,
}, async () => {
  const { violations, faults } = await soak({
    name: 'soak',
    faults: FAULTS,
    everyMs: [1_000, 2_800],
    weights: { kill: 44, pause: 12, cut: 26, clock: 8, 'full disk': 7, 'lost store': 3 },
    targets: { targets: 30, each: 9, afterMs: [60_000, 240_000], lastsMs: [0, 200_000] },
    // Faults of the gateway make jobs go down, too. A monitor is disabled at its 11th disruption within a day.
    jobs: { targets: 10, each: 4, afterMs: [120_000, 400_000], lastsMs: [0, 60_000] },
  });
  expect(violations).toEqual([]);
  expect(faults.length).toBe(FAULTS);
});
