import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { getResponseTimes, getUptime } from '../src/app/history/get-statistics.ts';
import { RANGE_HOURS, spanOf } from '../src/domain/history/history-range.ts';
import { uptimeOf } from '../src/domain/history/statistics.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import type { CheckResult } from '../src/domain/rounds/check-result.ts';
import { insertResults } from '../src/storage/rounds/result-store.ts';
import { historyFixture, resultOf } from './start-history.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const fixture = await historyFixture('2026-03-01T00:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());

const { clock, deps } = fixture;
const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * MINUTE);
const uptime = (monitor: Monitor, rangeHours: number) =>
  getUptime(deps, monitor.organizationId, { monitorId: monitor.id, rangeHours });
const responseTimes = (monitor: Monitor, rangeHours: number) =>
  getResponseTimes(deps, monitor.organizationId, { monitorId: monitor.id, rangeHours });

/** Returns the uptime, calculated from the individual results. */
function countedBy(results: readonly CheckResult[], hours: (typeof RANGE_HOURS)[number]) {
  const { from, to } = spanOf(hours, clock.now());
  const inside = results.filter(({ roundAt }) => roundAt >= from && roundAt < to);
  const regions = Map.groupBy(inside, ({ region }) => region).values();
  const count = (some: CheckResult[], outcome: string) => some.filter((result) => result.outcome === outcome).length;
  return uptimeOf(
    regions
      .map((some) => ({
        pass: count(some, 'pass'),
        fail: count(some, 'fail'),
        error: count(some, 'error'),
        timeout: count(some, 'timeout'),
      }))
      .toArray(),
  );
}

const OUTCOMES = ['pass', 'pass', 'fail', 'error', 'timeout', 'unknown'] as const;

test('every range counts each result once, including repeated, late and rolled-up results', async () => {
  const monitor = await fixture.monitor();
  const other = await fixture.monitor({ organizationId: monitor.organizationId });
  const recorded: CheckResult[] = [];
  const late: CheckResult[] = [];
  let round = 0;
  for (let hour = 0; hour < 60; hour += 1) {
    const batch: CheckResult[] = [];
    for (let minute = 0; minute < 60; minute += 7) {
      for (const region of ['a', 'b']) {
        const outcome = OUTCOMES[(round * 7 + (region === 'a' ? 0 : 3)) % OUTCOMES.length] ?? 'pass';
        const result = resultOf(monitor, { roundAt: inMinutes(minute), region, outcome });
        round += 1;
        if (round % 11 === 0) late.push(result);
        else batch.push(result);
      }
    }
    clock.advance(HOUR);
    const behind = hour % 13 === 12 ? late.splice(0) : [];
    await fixture.record(...batch, ...behind, ...batch.slice(0, 3), resultOf(other, { roundAt: inMinutes(-5) }));
    await fixture.record(...batch.slice(2), ...behind);
    recorded.push(...batch, ...behind);
    if (hour % 5 === 3) await fixture.rollUp();
    if (hour % 10 !== 9) continue;
    clock.advance(17 * MINUTE);
    await fixture.rollUp();
    await fixture.rollUp();
    for (const range of RANGE_HOURS)
      expect(await uptime(monitor, range), `${range} h`).toEqual(countedBy(recorded, range));
    clock.advance(43 * MINUTE);
  }
  expect(await fixture.rows('result_day')).toBeGreaterThan(0);
  expect(await fixture.rows('roll_up_due')).toBe(0);
});

test('a result that is saved while its hour is being rolled up is counted', async () => {
  const monitor = await fixture.monitor();
  const result = resultOf(monitor, { roundAt: inMinutes(-1) });
  clock.advance(2 * HOUR);
  let rolling: Promise<void> | undefined;
  await deps.database.transaction('every organization', async (tx) => {
    insertResults(tx, [result]);
    rolling = fixture.rollUp();
    await eventually(async () => {
      const waiting = `select from pg_locks join pg_stat_activity using (pid)
        where pg_locks.locktype = 'advisory' and not granted and usename = current_user`;
      // This query needs a separate transaction, because PostgreSQL caches pg_stat_activity until the end of a
      // transaction.
      const rows = await deps.database.transaction('every organization', (other) => other.query(waiting));
      expect(rows).toHaveLength(1);
    });
  });
  await rolling;
  expect((await uptime(monitor, 24)).distribution.total).toBe(1);
  expect(await fixture.rows('result_hour', monitor.organizationId)).toBe(1);
});

test('a range of one hour includes its start and excludes its end', async () => {
  const monitor = await fixture.monitor();
  clock.advance(30 * MINUTE);
  const at = (minutes: number) => resultOf(monitor, { roundAt: inMinutes(minutes) });
  await fixture.record(at(-60), at(-30), at(0), resultOf(monitor, { roundAt: new Date(inMinutes(-60).getTime() - 1) }));
  expect((await uptime(monitor, 1)).distribution.total).toBe(2);
  clock.advance(1);
  expect((await uptime(monitor, 1)).distribution.total).toBe(2);
});

test('response times include only passed checks, and are the same from single results, hourly counts and daily counts', async () => {
  const monitor = await fixture.monitor();
  clock.advance(8 * MINUTE);
  const took = (minutes: number, total: number, changes: Partial<CheckResult> = {}) =>
    resultOf(monitor, { roundAt: inMinutes(minutes - 8), phases: { total }, ...changes });
  await fixture.record(
    ...[1, 2, 3, 4].map((minute) => took(minute, 200)),
    took(5, 9_000, { outcome: 'fail' }),
    took(6, 9_000, { phases: {} }),
    took(7, 400, { region: 'b' }),
  );
  const fromResults = await responseTimes(monitor, 168);
  expect(fromResults.locations).toMatchObject([
    { location: 'b', checks: 1 },
    { location: 'a', checks: 4 },
  ]);
  expect(fromResults.p95).toBeGreaterThan(294);
  expect(fromResults.p95).toBeLessThan(306);
  clock.advance(3 * HOUR);
  await fixture.rollUp();
  expect(await responseTimes(monitor, 168)).toEqual(fromResults);
  clock.advance(30 * HOUR);
  await fixture.rollUp();
  expect(await responseTimes(monitor, 168)).toEqual(fromResults);
});

test('a monitor without data has no uptime and no response times', async () => {
  const monitor = await fixture.monitor();
  const distribution = { pass: 0, fail: 0, error: 0, timeout: 0, total: 0 };
  expect(await uptime(monitor, 24)).toEqual({ percent: undefined, distribution });
  expect(await responseTimes(monitor, 24)).toEqual({ p95: undefined, locations: [] });
});

test("another organization's monitor is not found, and an invalid range is rejected", async () => {
  const monitor = await fixture.monitor();
  const { organizationId } = await fixture.monitor();
  const ask = (rangeHours: number) => getUptime(deps, organizationId, { monitorId: monitor.id, rangeHours });
  await expect(ask(24)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(ask(25)).rejects.toMatchObject({ kind: 'invalid', fields: { range: [expect.any(String)] } });
});
