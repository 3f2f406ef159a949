import { setTimeout as delay } from 'node:timers/promises';
import type { CheckOutcome } from '@tocsin/enums';
import { afterAll, expect, test } from 'vitest';
import { type MonitorChanges, updateMonitor } from '../src/app/monitors/update-monitor.ts';
import { startDueRounds } from '../src/app/rounds/start-due-rounds.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { findEvaluatorStates } from '../src/storage/rounds/evaluator-state-store.ts';
import { findOpenRounds, openRounds } from '../src/storage/rounds/round-store.ts';
import { schedule } from '../src/storage/rounds/schedule-store.ts';
import { historyFixture, resultOf } from './start-history.ts';

const fixture = await historyFixture('2026-03-01T12:00:00Z', ['a']);
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;

const otherUrl = { configJson: '{"url":"https://example.net/"}' };

/** Creates and schedules a monitor with an interval of 30 s that goes down after failures for a minute. */
async function running() {
  const monitor: Monitor = await fixture.monitor({ intervalSeconds: 30, confirmDownMinutes: 1, confirmUpMinutes: 0 });
  const { id, organizationId } = monitor;
  await database.transaction(monitor, async (tx) => schedule(tx, [monitor], clock.now()));
  const rounds = () => database.transaction({ organizationId }, (tx) => findOpenRounds(tx, [id]));
  /** Opens a round 30 s after the last one, and returns its time. */
  const open = async () => {
    clock.advance(30_000);
    const at = clock.now();
    const deadline = new Date(at.getTime() + 60_000);
    await database.transaction({ organizationId }, (tx) =>
      openRounds(tx, [{ monitorId: id, at, deadline, regions: ['a'] }]),
    );
    return at;
  };
  const record = (roundAt: Date, outcome: CheckOutcome) => fixture.record(resultOf(monitor, { roundAt, outcome }));
  return {
    rounds,
    open,
    record,
    round: async (outcome: CheckOutcome) => record(await open(), outcome),
    update: (changes: MonitorChanges) => updateMonitor(deps, organizationId, id, changes),
    state: async () => {
      const states = await database.transaction({ organizationId }, (tx) => findEvaluatorStates(tx, [id]));
      return states.get(id)?.state;
    },
    results: () => fixture.rows('check_result', organizationId),
  };
}

test.each<[string, MonitorChanges]>([
  ['config', otherUrl],
  ['timeout', { timeoutMs: 30_000 }],
  ['secrets', { secrets: new Map([['KEY', 'value']]) }],
])('after a change of the %s, an earlier check that fails late does not take the monitor down', async (_, changes) => {
  const { rounds, open, record, round, update, state, results } = await running();
  await round('pass');
  await round('fail');
  await round('fail');
  const last = await open();
  await update(changes);
  expect(await rounds()).toEqual([]);
  await record(last, 'timeout');
  expect(await state()).toBe('up');
  expect(await results()).toBe(4);
  // The failures of the changed check are confirmed on their own.
  await round('fail');
  await round('fail');
  expect(await state()).toBe('up');
  await round('fail');
  expect(await state()).toBe('down');
});

test('a change of other settings, or of nothing, decides the open round', async () => {
  const { open, record, round, update, state } = await running();
  await update({ secrets: new Map([['KEY', 'value']]) });
  await round('pass');
  await round('fail');
  await round('fail');
  const last = await open();
  await update({ name: 'Store', intervalSeconds: 60, secrets: new Map([['KEY', 'value']]) });
  await update({ configJson: '{"url":"https://example.com/"}', timeoutMs: 10_000 });
  await record(last, 'fail');
  expect(await state()).toBe('down');
});

test('a monitor that is down stays down when its check is changed, until a changed check passes', async () => {
  const { open, record, round, update, state } = await running();
  for (let failures = 0; failures < 3; failures += 1) await round('fail');
  expect(await state()).toBe('down');
  const last = await open();
  await update(otherUrl);
  await record(last, 'pass');
  expect(await state()).toBe('down');
  await round('pass');
  expect(await state()).toBe('up');
});

test('a round that is being opened while the check is changed is not decided', async () => {
  const { rounds, update } = await running();
  const opened = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  const send = async () => {
    opened.resolve();
    await proceed.promise;
  };
  const starting = startDueRounds({ ...deps, checkers: { ...deps.checkers, send } });
  await opened.promise;
  const updating = update(otherUrl);
  // Give the update time to reach the lock on the schedule.
  await delay(200);
  proceed.resolve();
  await Promise.all([starting, updating]);
  expect(await rounds()).toEqual([]);
});
