import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { countDisruption } from '../src/app/auto-disable/count-disruption.ts';
import { readSuppression, suppressAlerts } from '../src/app/maintenance/suppress-alerts.ts';
import { deleteMonitor } from '../src/app/monitors/delete-monitor.ts';
import { startDownWatch } from '../src/domain/auto-disable/auto-disable.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { type EvaluatorState, initialEvaluatorState } from '../src/domain/rounds/evaluate.ts';
import { saveDownWatches } from '../src/storage/auto-disable/auto-disable-store.ts';
import { beginMaintenance, saveHeldAlerts } from '../src/storage/maintenance/maintenance-store.ts';
import { watch } from '../src/storage/rounds/staleness-store.ts';
import { historyFixture } from './start-history.ts';

const HOUR = 3_600_000;
const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;
const TABLES = ['silence_watch', 'down_watch', 'automatic_disruption', 'maintenance', 'held_alert'];

function count({ id: monitorId, organizationId }: Monitor, hoursAgo: number): Promise<void> {
  const at = new Date(clock.now().getTime() - hoursAgo * HOUR);
  return database.transaction({ organizationId }, (tx) =>
    countDisruption(deps, tx, { organizationId, monitorId, disruptionId: v7(), at }),
  );
}

test('the rows of a monitor are visible only to its organization, and are deleted with the monitor', async () => {
  const monitor = await fixture.monitor();
  const { id: monitorId, organizationId } = monitor;
  await count(monitor, 0);
  await database.transaction({ organizationId }, async (tx) => {
    watch(tx, [monitor], clock.now());
    saveDownWatches(tx, [{ monitorId, organizationId, watch: startDownWatch(clock.now()) }]);
    await beginMaintenance(tx, { organizationId, disruptionId: v7(), at: clock.now() }, [monitorId]);
    saveHeldAlerts(tx, [{ monitorId, organizationId, alertedBefore: false, error: 'status 502' }]);
  });
  const rowsOf = (organization: string) => Promise.all(TABLES.map((table) => fixture.rows(table, organization)));
  expect(await rowsOf(organizationId)).toEqual(TABLES.map(() => 1));
  expect(await rowsOf(v7())).toEqual(TABLES.map(() => 0));
  await deleteMonitor(deps, organizationId, monitorId);
  expect(await rowsOf(organizationId)).toEqual(TABLES.map(() => 0));
});

test('disruptions that arrive a day late or concern a disabled monitor are not counted', async () => {
  const monitor = await fixture.monitor();
  await count(monitor, 25);
  await count(monitor, 23);
  const disabled = await fixture.monitor({ enabled: false });
  await count(disabled, 0);
  expect(await fixture.rows('automatic_disruption', monitor.organizationId)).toBe(1);
  expect(await fixture.rows('automatic_disruption', disabled.organizationId)).toBe(0);
});

test('a monitor that was stale before a maintenance and goes down during it raises an alert when it recovers', async () => {
  const monitor = await fixture.monitor();
  const { id, organizationId } = monitor;
  const suppressed: boolean[] = [];
  let evaluatorState: EvaluatorState = initialEvaluatorState(clock.now());
  /** Each change has a transaction of its own, so that what was suppressed is read from the database. */
  const becomes = (state: 'up' | 'down' | 'stale') =>
    database.transaction({ organizationId }, async (tx) => {
      evaluatorState = { ...evaluatorState, state, previousState: evaluatorState.state };
      const changes = suppressAlerts(
        tx,
        [{ monitor, evaluatorState, reasons: { error: '', explanation: '' } }],
        await readSuppression(tx, [monitor.id]),
      );
      suppressed.push(...changes.map(({ underMaintenance }) => underMaintenance));
    });
  await becomes('up');
  await becomes('stale');
  await database.transaction({ organizationId }, (tx) =>
    beginMaintenance(tx, { organizationId, disruptionId: v7(), at: clock.now() }, [id]),
  );
  await becomes('down');
  await becomes('up');
  await becomes('down');
  await becomes('up');
  expect(suppressed).toEqual([false, false, true, false, true, true]);
});
