import { expect, test } from 'vitest';
import { sameUnderFault } from './same-under-fault.ts';

test('results that come twice, shuffled, with the monitor service killed three times, come to the same as in quiet', async () => {
  const { transitions, alerts } = await sameUnderFault({ kills: 3, seed: 7 });
  // Proves that there were state changes to compare.
  expect(transitions).toBeGreaterThan(20);
  expect(alerts).toBeGreaterThan(20);
});
