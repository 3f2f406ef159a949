import { expect, test } from 'vitest';
import { alertsUnderKills } from './alerts-under-kills.ts';

test('1,000 alerts arrive in order, and none is lost when the notifier is killed 5 times', async () => {
  const figures = await alertsUnderKills({ kills: 5, seed: 'five kills' });
  console.table(figures);
  expect(figures).toMatchObject({ kills: 5, alerts: 1_000, lost: 0 });
});
