import { expect, test } from 'vitest';
import { alertsUnderKills } from '../journeys/alerts-under-kills.ts';

test('1,000 alerts arrive in order, and none is lost when the notifier is killed 50 times', async () => {
  const figures = await alertsUnderKills({ kills: 50, seed: 'fifty kills' });
  console.table(figures);
  expect(figures).toMatchObject({ kills: 50, alerts: 1_000, lost: 0 });
});
