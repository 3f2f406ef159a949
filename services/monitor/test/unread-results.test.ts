import type { CheckOutcome } from '@tocsin/enums';
import { pagingOf } from '@tocsin/paging';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { listTransitions } from '../src/app/history/list-transitions.ts';
import { settleOverdueRounds } from '../src/app/rounds/settle-rounds.ts';
import { openRounds } from '../src/storage/rounds/round-store.ts';
import { historyFixture, resultOf } from './start-history.ts';

const MINUTE = 60_000;
const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;

/** Creates a monitor with a two-region round whose deadline has passed. */
async function afterAnAbsence() {
  const monitor = await fixture.monitor({ organizationId: v7(), confirmDownMinutes: 0 });
  const at = clock.now();
  const round = { monitorId: monitor.id, at, regions: ['a', 'b'], deadline: new Date(at.getTime() + MINUTE) };
  await database.transaction(monitor, (tx) => openRounds(tx, [round]));
  clock.advance(10 * MINUTE);
  return {
    receive: (region: string, outcome: CheckOutcome) =>
      fixture.record(resultOf(monitor, { roundAt: at, region, outcome })),
    states: async () => {
      const list = { monitorId: monitor.id, paging: pagingOf(0, '') };
      const { transitions } = await listTransitions(deps, monitor.organizationId, list);
      return transitions.map(({ state }) => state);
    },
  };
}

test('an overdue round stays open while its results may still be in the stream', async () => {
  const { receive, states } = await afterAnAbsence();
  await receive('a', 'pass');
  expect(await states()).toEqual([]);
  await receive('b', 'fail');
  expect(await states()).toEqual(['down']);
});

test('after all results up to the deadline have been read, missing results count as unknown and late results are ignored', async () => {
  const { receive, states } = await afterAnAbsence();
  await receive('a', 'pass');
  await settleOverdueRounds(deps, new Date(clock.now().getTime() - 10 * MINUTE));
  expect(await states()).toEqual([]);
  await settleOverdueRounds(deps, clock.now());
  expect(await states()).toEqual(['up']);
  await receive('b', 'fail');
  expect(await states()).toEqual(['up']);
});
