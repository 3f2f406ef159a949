import { expect, test } from 'vitest';
import { sameUnderFault } from './same-under-fault.ts';

test('repeated and shuffled results, with the monitor service killed three times, lead to the same states', async () => {
  const { transitions, alerts } = await sameUnderFault({ kills: 3, seed: 7 });
  // Proves that there were state changes to compare.
  expect(transitions).toBeGreaterThan(20);
  expect(alerts).toBeGreaterThan(20);
});
