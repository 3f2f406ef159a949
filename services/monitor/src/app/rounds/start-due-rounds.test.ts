import { expect, test } from 'vitest';
import { ClaimProgress } from '../../domain/rounds/claim-progress.ts';
import { OPEN_AHEAD_MS } from '../../domain/rounds/timetable.ts';
import type { Deps } from '../ports.ts';
import { startDueRounds } from './start-due-rounds.ts';

test('while no round is due, a call only reads', async () => {
  const now = new Date('2026-07-01T12:00:00Z');
  const parameters: unknown[] = [];
  const database: Pick<Deps['database'], 'read' | 'transaction'> = {
    async read<Row extends object>(_scope: unknown, _sql: string, values: readonly unknown[] = []) {
      parameters.push(...values);
      return [{ is_due: false } as Row];
    },
    transaction() {
      throw new Error('a transaction was opened');
    },
  };
  const deps = { database, now: () => now } as unknown as Deps;
  const progress = new ClaimProgress();
  progress.since(now);
  progress.record(now);
  expect(await startDueRounds(deps, progress)).toEqual({ found: 0, lags: [], missed: 0 });
  expect(parameters).toEqual([new Date(now.getTime() + OPEN_AHEAD_MS), new Date(now.getTime() - 10_000)]);
});
