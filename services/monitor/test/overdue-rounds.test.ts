import { afterAll, beforeEach, expect, test } from 'vitest';
import { decideOverdue } from '../src/app/rounds/decide-overdue.ts';
import { openRounds } from '../src/storage/rounds/round-store.ts';
import { recordOnline } from '../src/storage/rounds/staleness-store.ts';
import { SWEEP_DUE } from '../src/storage/rounds/sweep-due.ts';
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

async function isSweepDue(): Promise<boolean> {
  const [row] = await database.read<{ is_due: boolean | null }>(
    'every organization',
    `select ${SWEEP_DUE} <= $1 as is_due`,
    [clock.now()],
  );
  return row?.is_due === true;
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
    expect(await isSweepDue()).toBe(example.isDue);
  },
);

test('while it is unknown which results are recorded, rounds are not decided, and the sweep stays due', async () => {
  await openOverdue(60);
  await online(ago(6));
  expect(await decideOverdue(deps, async () => undefined)).toBe('done');
  expect(await fixture.rows('open_round')).toBe(1);
  expect(await isSweepDue()).toBe(true);
  await decideOverdue(deps, async () => clock.now());
  expect(await fixture.rows('open_round')).toBe(0);
  expect(await isSweepDue()).toBe(false);
});
