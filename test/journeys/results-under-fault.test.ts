import { expect, test } from 'vitest';
import { sameUnderFault } from './same-under-fault.ts';

test('repeated and shuffled results and three kills of the monitor service do not change states, disruptions or alerts', async () => {
  const { transitions, alerts } = await sameUnderFault({ kills: 3, seed: 7 });
  // Without state changes, there would be nothing to compare.
  expect(transitions).toBeGreaterThan(20);
  expect(alerts).toBeGreaterThan(20);
});
