import type { MonitorState } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { decideSuppression, type SuppressedAlert } from './suppression.ts';

/** Returns which of the changes to these states are suppressed. Changes to a state with a `*` are under maintenance. */
function suppressed(...states: string[]): string[] {
  let previousState: MonitorState | undefined;
  let held: SuppressedAlert | undefined;
  return states.filter((text) => {
    const state = text.replace('*', '') as MonitorState;
    const decided = decideSuppression({ state, previousState }, { isMaintained: text.endsWith('*'), held });
    previousState = state;
    held = decided.held;
    return decided.isSuppressed;
  });
}

test('an outage under maintenance and its recovery are suppressed, even if the recovery is after the maintenance', () => {
  expect(suppressed('up', 'down*', 'up*')).toEqual(['down*', 'up*']);
  expect(suppressed('up', 'stale*', 'down*', 'up')).toEqual(['stale*', 'down*', 'up']);
});

test('the recovery from an outage that began before the maintenance is not suppressed', () => {
  expect(suppressed('up', 'down', 'up*')).toEqual([]);
});

test('the recovery of a monitor that was stale before the maintenance and went down during it is not suppressed', () => {
  expect(suppressed('up', 'stale', 'down*', 'up*')).toEqual(['down*']);
});

test('the recovery is suppressed again in the next maintenance', () => {
  expect(suppressed('stale', 'down*', 'up*', 'down*', 'up*')).toEqual(['down*', 'down*', 'up*']);
});
