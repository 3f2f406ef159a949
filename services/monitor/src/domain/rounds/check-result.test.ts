import { expect, test } from 'vitest';
import { type CheckResult, resultDelayMs } from './check-result.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second));
const result = {
  monitorId: 'm',
  roundAt: at(0),
  region: 'eu',
  error: '',
  statusCode: undefined,
  checkedAt: at(1),
} satisfies Partial<CheckResult>;

test('the delay of a result begins at the end of its check, so that slow targets do not add to it', () => {
  const timedOut: CheckResult = { ...result, outcome: 'timeout', phases: { total: 10_000 }, finishedAt: at(12) };
  expect(resultDelayMs(timedOut, at(15))).toBe(3_000);
});

test('a result of an earlier checker, which does not send the end of a check, is measured from its start and duration', () => {
  expect(resultDelayMs({ ...result, outcome: 'timeout', phases: { total: 10_000 } }, at(15))).toBe(4_000);
  expect(resultDelayMs({ ...result, outcome: 'unknown', phases: {} }, at(15))).toBe(14_000);
});

test('the delay is not negative if the clock of the checker is ahead', () => {
  expect(resultDelayMs({ ...result, outcome: 'pass', phases: {}, finishedAt: at(5) }, at(3))).toBe(0);
});
