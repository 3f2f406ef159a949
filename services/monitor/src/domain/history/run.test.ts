import { expect, test } from 'vitest';
import type { CheckResult } from '../rounds/check-result.ts';
import { runsOf } from './run.ts';

const monitorId = 'monitor';
const at = new Date('2026-11-20T10:00:00Z');
const inSeconds = (seconds: number) => new Date(at.getTime() + seconds * 1000);

function passed(roundAt: Date, region: string): CheckResult {
  return { monitorId, roundAt, region, outcome: 'pass', error: '', statusCode: 200, phases: {}, checkedAt: roundAt };
}

function outcomes(times: Date[], results: CheckResult[], now: Date) {
  const runs = runsOf(times, results, { monitorId, timeoutMs: 1_000, regions: ['b', 'a'], now });
  return runs.map((run) => run.results.map(({ region, outcome }) => `${region} ${outcome}`));
}

test('after the deadline, a region without a result is shown with the outcome unknown', () => {
  expect(outcomes([inSeconds(30), at], [passed(inSeconds(30), 'b')], inSeconds(120))).toEqual([
    ['a unknown', 'b pass'],
    ['a unknown', 'b unknown'],
  ]);
});

test('a region without a result is not shown before the deadline', () => {
  expect(outcomes([at], [passed(at, 'a')], inSeconds(31))).toEqual([['a pass']]);
  expect(outcomes([at], [passed(at, 'a')], inSeconds(32))).toEqual([['a pass', 'b unknown']]);
});

test('a run shows the result of a region that is no longer configured', () => {
  expect(outcomes([at], [passed(at, 'gone')], inSeconds(120))).toEqual([['a unknown', 'b unknown', 'gone pass']]);
});
