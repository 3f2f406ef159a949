import type { CheckType } from '@tocsin/enums';
import { FieldErrorCollector } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkConfirmPair } from './confirm-pairs.ts';
import type { MonitorSettings } from './monitor.ts';

function problemsOf(checkType: CheckType, sent: Partial<MonitorSettings>): object {
  const errors = new FieldErrorCollector();
  checkConfirmPair(checkType, sent, errors);
  try {
    errors.throwIfAny();
    return {};
  } catch (error) {
    return (error as { fields: object }).fields;
  }
}

test('each check type accepts its own pair of confirmation settings', () => {
  expect(problemsOf('http', { confirmDownMinutes: 1, confirmUpMinutes: 0 })).toEqual({});
  expect(problemsOf('synthetic', { confirmDownAfter: 1, confirmUpAfter: 1 })).toEqual({});
  expect(problemsOf('synthetic', {})).toEqual({});
});

test('confirmation settings of other check types are rejected with errors that name the applicable fields', () => {
  expect(problemsOf('heartbeat', { confirmDownAfter: 3 })).toEqual({
    confirm_down_after: ['does not apply to heartbeat monitors: use confirm_down_minutes and confirm_up_minutes'],
  });
  expect(Object.keys(problemsOf('synthetic', { confirmDownMinutes: 1, confirmUpMinutes: 1 }))).toEqual([
    'confirm_down_minutes',
    'confirm_up_minutes',
  ]);
});
