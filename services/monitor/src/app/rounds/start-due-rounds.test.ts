import { expect, test } from 'vitest';
import { ClaimProgress } from '../../domain/rounds/claim-progress.ts';
import { OPEN_AHEAD_MS } from '../../domain/rounds/timetable.ts';
import type { Deps } from '../ports.ts';
import { startDueRounds } from './start-due-rounds.ts';

const NOON = new Date('2026-07-01T12:00:00Z');
const after = (ms: number) => new Date(NOON.getTime() + ms);

/** Returns dependencies whose database has one round, and whose clock can be set. */
function depsWithRound(nextAt: Date | null) {
  const fake = { now: NOON, reads: [] as unknown[], endedTransactions: 0 };
  const database: Pick<Deps['database'], 'read' | 'transaction' | 'endedTransactions'> = {
    get endedTransactions() {
      return fake.endedTransactions;
    },
    async read<Row extends object>(_scope: unknown, _sql: string, values: readonly unknown[] = []) {
      fake.reads.push(...values);
      return [{ at: nextAt } as Row];
    },
    transaction() {
      throw new Error('a transaction was opened');
    },
  };
  return { deps: { database, now: () => fake.now } as unknown as Deps, fake };
}

/** Returns the progress after a claim of all rounds at NOON. */
function progressAtNoon(quietMs: number): ClaimProgress {
  const progress = new ClaimProgress(quietMs);
  progress.since(NOON);
  progress.record(NOON);
  return progress;
}

test('while no round is due, a call only reads', async () => {
  const { deps, fake } = depsWithRound(after(60_000));
  const progress = progressAtNoon(0);
  expect(await startDueRounds(deps, progress)).toEqual({ found: 0, lags: [], missed: 0 });
  expect(fake.reads).toEqual([after(-10_000)]);
  await startDueRounds(deps, progress);
  expect(fake.reads).toHaveLength(2);
});

test('a replica that relies on the time of the next round opens it on time', async () => {
  const { deps, fake } = depsWithRound(after(3_000 + OPEN_AHEAD_MS));
  const progress = progressAtNoon(5_000);
  for (const ms of [0, 500, 2_999]) {
    fake.now = after(ms);
    await startDueRounds(deps, progress);
  }
  expect(fake.reads).toHaveLength(1);
  fake.now = after(3_000);
  await expect(startDueRounds(deps, progress)).rejects.toThrow('a transaction was opened');
});

test('a replica that relies on the time of the next round looks again after a transaction of its own', async () => {
  const { deps, fake } = depsWithRound(null);
  const progress = progressAtNoon(5_000);
  await startDueRounds(deps, progress);
  fake.endedTransactions += 1;
  fake.now = after(500);
  await startDueRounds(deps, progress);
  expect(fake.reads).toHaveLength(2);
  fake.now = after(5_499);
  await startDueRounds(deps, progress);
  expect(fake.reads).toHaveLength(2);
  fake.now = after(5_500);
  await startDueRounds(deps, progress);
  expect(fake.reads).toHaveLength(3);
});
