import { fromBinary, toJson } from '@bufbuild/protobuf';
import { MonitorDayCountedSchema } from '@tocsin/proto/monitor/v1/events';
import { afterAll, expect, test } from 'vitest';
import { publishDays } from '../src/app/history/publish-days.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { recordDayChanges } from '../src/storage/history/day-store.ts';
import { historyFixture, resultOf } from './start-history.ts';

const HOUR = 3_600_000;
const fixture = await historyFixture('2026-03-01T00:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;
const at = (time: string) => new Date(`2026-03-${time}:00Z`);

/** Returns the published daily counts of a monitor. */
async function published(monitor: Monitor): Promise<unknown[]> {
  await fixture.rollUp();
  while ((await publishDays(deps)) === 'again');
  const rows = await database.transaction(monitor, (tx) =>
    tx.query<{ payload: Buffer }>(
      'select payload from outbox where type = $1 and aggregate_id = $2 order by position',
      [MonitorDayCountedSchema.typeName, monitor.id],
    ),
  );
  return rows.map(({ payload }) => toJson(MonitorDayCountedSchema, fromBinary(MonitorDayCountedSchema, payload)));
}

test('the counts of a day are published once after its end, and again when they change', async () => {
  const monitor = await fixture.monitor();
  const idle = await fixture.monitor();
  clock.advance(23 * HOUR);
  await fixture.record(
    resultOf(monitor, { roundAt: at('01T00:30'), region: 'a' }),
    resultOf(monitor, { roundAt: at('01T05:30'), region: 'a', outcome: 'fail', error: 'status 502' }),
    resultOf(monitor, { roundAt: at('01T00:30'), region: 'b' }),
    resultOf(monitor, { roundAt: at('01T01:30'), region: 'b', outcome: 'unknown' }),
  );
  expect(await published(monitor)).toEqual([]);

  clock.advance(2 * HOUR);
  const first = { monitorId: monitor.id, day: '2026-03-01T00:00:00Z', uptimePct: 75, passed: 2, failed: 1 };
  expect(await published(monitor)).toEqual([first]);
  expect(await published(monitor)).toEqual([first]);

  await fixture.record(
    resultOf(monitor, { roundAt: at('01T02:30'), region: 'b', outcome: 'timeout', error: 'no result' }),
  );
  expect(await published(monitor)).toEqual([first, { ...first, uptimePct: 50, timeouts: 1 }]);
  // Nothing is published for a day without checks.
  expect(await published(idle)).toEqual([]);
});

test('the counts of a deleted monitor are not published', async () => {
  const monitor = await fixture.monitor();
  clock.advance(4 * HOUR);
  await fixture.record(resultOf(monitor, { roundAt: at('02T03:30'), region: 'a' }));
  clock.advance(24 * HOUR);
  await fixture.rollUp();
  expect(await fixture.rows('day_due', monitor.organizationId)).toBe(1);
  await database.transaction(monitor, (tx) => tx.query('delete from monitor where id = $1', [monitor.id]));
  expect(await published(monitor)).toEqual([]);
});

test('counts that change while they are being published are published again', async () => {
  const monitor = await fixture.monitor();
  const midnight = new Date(clock.now().setUTCHours(0, 0, 0, 0));
  await fixture.record(resultOf(monitor, { roundAt: midnight, region: 'a' }));
  clock.advance(25 * HOUR);
  await fixture.rollUp();
  await database.transaction('every organization', async (tx) => {
    await tx.query('update result_day set failed = 1 where monitor_id = $1', [monitor.id]);
    await recordDayChanges(tx, midnight, [monitor.id]);
    // publishDays() runs in another transaction, which does not see the uncommitted change.
    await publishDays(deps);
  });
  const events = await published(monitor);
  expect(events.at(-1)).toMatchObject({ monitorId: monitor.id, passed: 1, failed: 1 });
});
