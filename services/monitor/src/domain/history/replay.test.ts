import type { CheckOutcome } from '@tocsin/enums';
import { describe, expect, test } from 'vitest';
import type { Confirmation } from '../rounds/evaluate.ts';
import { transitionTo } from '../rounds/transition.ts';
import { differencesOf, type Memory, memoryOf, replay } from './replay.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const regions = ['a', 'b', 'c'];
const window = (down: number, up: number): Confirmation => ({ unit: 'minutes', down, up });

/**
 * Returns one round per minute with the same outcome in all regions: "p" is a pass, "f" a failure, and "." a round
 * without results.
 */
function rounds(seen: string, from = 0): Memory[] {
  const outcomes: Readonly<Record<string, CheckOutcome>> = { p: 'pass', f: 'fail' };
  return [...seen].map((letter, minute) => {
    const outcome = outcomes[letter];
    const error = letter === 'f' ? 'status 502' : '';
    return {
      kind: 'round',
      at: at(from + minute),
      outcomes: outcome ? regions.map((region) => ({ region, outcome, error })) : [],
    };
  });
}

/** Returns the state changes that are recorded for a monitor with the given confirmation windows. */
function historyOf(memories: readonly Memory[], confirmation: Confirmation) {
  return replay(undefined, memories, regions, confirmation).changes.map(({ evaluatorState, ...reasons }) =>
    transitionTo(evaluatorState, reasons),
  );
}

describe('a replay of the history', () => {
  test('a replay finds no differences with the same settings', () => {
    const memories = [
      ...rounds('ppffff.fppp'),
      { kind: 'no_data', at: at(20), explanation: 'no checks' } as const,
      { kind: 'enabled', at: at(30), explanation: 'enabled again' } as const,
      ...rounds('fffpf', 31),
    ];
    const history = historyOf(memories, window(1, 1));
    expect(history.map(({ state }) => state)).toEqual(['up', 'down', 'up', 'stale', 'pending', 'down']);
    const { changes } = replay(undefined, memories, regions, window(1, 1));
    expect(differencesOf(history, changes)).toEqual([]);
    // The inputs other than rounds can be reconstructed from the state changes in the history.
    expect(history.flatMap((transition) => memoryOf(transition) ?? [])).toEqual(
      memories.filter(({ kind }) => kind !== 'round'),
    );
  });

  test('a replay shows state changes that longer confirmation windows delay or prevent', () => {
    const memories = rounds('pffffpppp');
    const history = historyOf(memories, window(1, 0));
    const { changes } = replay(undefined, memories, regions, window(3, 2));
    const differences = differencesOf(history, changes);
    expect(differences.map(({ at, entered, today }) => [at.getUTCMinutes(), entered, today])).toEqual([
      [2, 'down', undefined],
      [4, undefined, 'down'],
      [5, 'up', undefined],
      [7, undefined, 'up'],
    ]);
    expect(differences[0]?.explanation).toBe('3 of 3 regions failed for 1 min: status 502');
    expect(differences[1]?.explanation).toBe('3 of 3 regions failed for 3 min: status 502');
  });

  test('a replay continues from a given evaluator state', () => {
    const { evaluatorState } = replay(undefined, rounds('pff'), regions, window(1, 1));
    const { changes } = replay(evaluatorState, rounds('fpp', 3), regions, window(1, 1));
    expect(changes.map(({ evaluatorState: { state, enteredAt } }) => [state, enteredAt])).toEqual([['up', at(5)]]);
  });

  test('in a replay, a monitor that is down under the current rules does not become stale', () => {
    const noData = { kind: 'no_data', at: at(10), explanation: 'no checks' } as const;
    const history = historyOf([...rounds('pf'), noData], window(5, 0));
    const { changes } = replay(undefined, [...rounds('pf'), noData], regions, window(0, 0));
    expect(differencesOf(history, changes).map(({ entered, today }) => [entered, today])).toEqual([
      [undefined, 'down'],
      ['stale', undefined],
    ]);
  });
});

test('a replayed round expects results from the current regions and from former regions that sent a result', () => {
  const outcomes = [{ region: 'gone', outcome: 'pass', error: '' } as const];
  const one = replay(undefined, [{ kind: 'round', at: at(0), outcomes }], ['a', 'b'], window(0, 0));
  expect(one.changes).toEqual([]);
  const two = replay(undefined, [{ kind: 'round', at: at(0), outcomes }], ['a'], window(0, 0));
  expect(two.changes).toHaveLength(1);
});
