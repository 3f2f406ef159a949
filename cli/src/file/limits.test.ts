import { expect, test } from 'vitest';
import { exceededLimits } from './limits.ts';
import type { Plan, Step } from './plan.ts';

const step = (action: Step['action'], kind: Step['kind']): Step => ({
  action,
  kind,
  name: 'A',
  changes: [],
  tasks: [],
});
const planOf = (...steps: Step[]): Plan => ({ steps, notes: [], errors: [] });
const me = { limits: { monitors: { limit: 10, used: 8 }, alert_channels: { limit: 200, used: null } } };

test('a plan can create resources up to the limit, and one more is an error', () => {
  const two = planOf(step('create', 'monitor'), step('create', 'monitor'), step('update', 'monitor'));
  expect(exceededLimits(two, me)).toEqual([]);
  const three = planOf(...two.steps, step('create', 'monitor'), step('delete', 'monitor'));
  expect(exceededLimits(three, me)).toEqual(['The file has 3 new monitors, but the organization has 8 of at most 10.']);
});

test('a limit whose value or usage is unknown is left to the API to enforce', () => {
  expect(exceededLimits(planOf(step('create', 'alert_channel'), step('create', 'status_page')), me)).toEqual([]);
});
