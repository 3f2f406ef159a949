import { afterAll, beforeEach, expect, test } from 'vitest';
import { overdueDecider } from '../src/app/rounds/decide-overdue.ts';
import { openRounds } from '../src/storage/rounds/round-store.ts';
import { recordOnline } from '../src/storage/rounds/staleness-store.ts';
import { isSweepDue } from '../src/storage/rounds/sweep-reader.ts';
import { historyFixture } from './start-history.ts';

const SECOND = 1_000;
const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;

const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * SECOND);
const online = (at: Date) =>
  database.transaction('every organization', async (tx) => {
    await tx.query('delete from presence');
    await recordOnline(tx, at, deps.readClock);
  });

beforeEach(() => database.transaction('every organization', (tx) => tx.query('delete from monitor')));

/** Opens a round of a new monitor whose deadline was `seconds` ago. */
async function openOverdue(seconds: number): Promise<void> {
  const { id: monitorId } = await fixture.monitor();
  const round = { monitorId, at: ago(seconds + 40), deadline: ago(seconds), regions: deps.regions };
  await database.transaction('every organization', (tx) => openRounds(tx, [round]));
}

test.each([
  { overdue: -1, seen: 0, isDue: false },
  { overdue: 1, seen: 0, isDue: true },
  // Rounds that have been overdue for longer are looked for every 5 s.
  { overdue: 11, seen: 0, isDue: false },
  { overdue: 11, seen: 6, isDue: true },
])(
  'with a round that is overdue by $overdue s, $seen s after the last sweep, a sweep is due: $isDue',
  async (example) => {
    await openOverdue(example.overdue);
    await online(ago(example.seen));
    expect(await isSweepDue(database, clock.now())).toBe(example.isDue);
  },
);

test('rounds that could not be decided yet are decided as soon as their results are recorded', async () => {
  await openOverdue(60);
  await online(ago(6));
  let recordedUpTo: Date | undefined;
  const decide = overdueDecider(deps, async () => recordedUpTo);
  expect(await decide()).toBe('done');
  expect(await fixture.rows('open_round')).toBe(1);
  await online(ago(0));
  recordedUpTo = clock.now();
  await decide();
  expect(await fixture.rows('open_round')).toBe(0);
});
