import { expect, test } from 'vitest';
import { evaluate, initialEvaluatorState } from './evaluate.ts';
import { explain } from './explain.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000);
const confirmation = { unit: 'minutes', down: 1, up: 1 } as const;

function round(seconds: number) {
  return { monitorId: 'm', at: at(seconds), regions: ['a', 'b', 'c'], deadline: at(seconds + 30) };
}

test('the explanation of a down state contains the failed regions, the duration and the error', () => {
  let evaluatorState = initialEvaluatorState(at(0));
  for (const seconds of [0, 30, 60])
    evaluatorState = evaluate(evaluatorState, { at: at(seconds), verdict: 'fail' }, confirmation).evaluatorState;
  const outcomes = ['a', 'b', 'c'].map((region) => ({
    region,
    outcome: 'fail' as const,
    error: 'status 502, expected 200',
  }));
  expect(explain(evaluatorState, round(60), outcomes)).toEqual({
    error: 'status 502, expected 200',
    explanation: '3 of 3 regions failed for 1 min: status 502, expected 200',
  });
});

test('the explanation of a recovery contains the passes that confirmed it', () => {
  let evaluatorState = { ...initialEvaluatorState(at(0)), state: 'down' as const };
  for (const seconds of [0, 30, 60]) {
    evaluatorState = evaluate(evaluatorState, { at: at(seconds), verdict: 'pass' }, confirmation)
      .evaluatorState as typeof evaluatorState;
  }
  expect(explain(evaluatorState, round(60), []).explanation).toBe('3 checks passed in a row over 1 min');
});
