import type { ComponentStatus } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { worstStatus } from './component-status.ts';

test.each<[ComponentStatus[], ComponentStatus]>([
  [[], 'operational'],
  [['operational'], 'operational'],
  [['under_maintenance', 'operational'], 'under_maintenance'],
  [['under_maintenance', 'degraded_performance'], 'degraded_performance'],
  [['partial_outage', 'degraded_performance'], 'partial_outage'],
  [['partial_outage', 'major_outage', 'under_maintenance'], 'major_outage'],
])('the worst status of %j is %s', (statuses, worst) => {
  expect(worstStatus(statuses)).toBe(worst);
  expect(worstStatus(statuses.toReversed())).toBe(worst);
});
