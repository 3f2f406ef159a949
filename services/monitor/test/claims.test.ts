import { v7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Deps } from '../src/app/ports.ts';
import { CLAIM_LIMIT, startDueRounds } from '../src/app/rounds/start-due-rounds.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { ClaimProgress } from '../src/domain/rounds/claim-progress.ts';
import { insertMonitors } from '../src/storage/monitors/monitor-store.ts';
import { claimDueRounds, schedule } from '../src/storage/rounds/schedule-store.ts';
import { historyFixture } from './start-history.ts';

const SECOND = 1_000;
const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;

beforeEach(() => database.transaction('every organization', (tx) => tx.query('delete from monitor')));

/** Creates a monitor with an interval of 30 s, and schedules its first round at a time relative to now. */
async function running(seconds = 0): Promise<Monitor> {
  const monitor = await fixture.monitor({ intervalSeconds: 30, timeoutMs: 1_000 });
  const at = new Date(clock.now().getTime() + seconds * SECOND);
  await database.transaction(monitor, async (tx) => schedule(tx, [monitor], at));
  return monitor;
}

test('while a long transaction is open, a claim does not read the index entries of earlier rounds', async () => {
  const monitors = await Promise.all(Array.from({ length: 20 }, () => running()));
  const at = () => new Date(clock.now().getTime() + 40 * SECOND);
  const readBy = (since: Date | undefined) =>
    database.transaction('every organization', async (tx) => {
      const entries = async () => {
        const sql = `select pg_stat_get_xact_tuples_returned('schedule_by_time'::regclass) as n`;
        return (await tx.query<{ n: number }>(sql))[0]?.n ?? 0;
      };
      const before = await entries();
      expect(await claimDueRounds(tx, { at: at(), since, limit: 10 })).toHaveLength(10);
      return (await entries()) - before;
    });
  await database.transaction('every organization', async (dump) => {
    await dump.query('select pg_current_xact_id()');
    for (let round = 0; round < 30; round += 1) {
      clock.advance(29 * SECOND);
      await startDueRounds(deps);
    }
    expect(await readBy(clock.now())).toBeLessThan(4 * monitors.length);
    expect(await readBy(undefined)).toBeGreaterThan(20 * monitors.length);
  });
});

test('a round that becomes visible long after it is due is started within 30 s', async () => {
  const progress = new ClaimProgress();
  await startDueRounds(deps, progress);
  await running(-15);
  expect(await startDueRounds(deps, progress)).toMatchObject({ lags: [] });
  clock.advance(30 * SECOND);
  expect((await startDueRounds(deps, progress)).lags).toHaveLength(1);
});

test('after an outage of the database, a claim finds the rounds that became due during it', async () => {
  const progress = new ClaimProgress();
  await startDueRounds(deps, progress);
  await running(5);
  clock.advance(25 * SECOND);
  expect((await startDueRounds(deps, progress)).lags).toHaveLength(1);
});

test.each([30, 60, 3_600])(
  'after an outage, many monitors with an interval of %i s are not checked all at once, but within a minute',
  async (intervalSeconds) => {
    const outageSeconds = 10 * 3_600;
    const count = 3 * CLAIM_LIMIT;
    const one = await fixture.monitor({ intervalSeconds });
    await database.transaction('every organization', async (tx) => {
      const monitors = Array.from({ length: count }, () => ({ ...one, id: v7() }));
      insertMonitors(tx, monitors);
      schedule(tx, monitors, new Date(clock.now().getTime() - outageSeconds * SECOND));
    });
    const checkedAt = new Map<string, number>();
    const startedAtOnce: number[] = [];
    const send: Deps['checkers']['send'] = async (jobs) => {
      for (const { monitorId, roundAt } of jobs) {
        if (!checkedAt.has(monitorId)) checkedAt.set(monitorId, roundAt.getTime());
      }
    };
    const began = clock.now().getTime();
    const progress = new ClaimProgress();
    for (let seconds = 0; seconds <= 61; seconds += 0.5) {
      let started = 0;
      for (let found = CLAIM_LIMIT; found === CLAIM_LIMIT; ) {
        const outcome = await startDueRounds({ ...deps, checkers: { ...deps.checkers, send } }, progress);
        found = outcome.found;
        started += outcome.lags.length;
      }
      startedAtOnce.push(started);
      clock.advance(0.5 * SECOND);
    }
    expect(checkedAt.size).toBe(count);
    expect(Math.max(...checkedAt.values()) - began).toBeLessThanOrEqual(61 * SECOND);
    expect(Math.max(...startedAtOnce)).toBeLessThan(count / 10);
    // The round at the end of the outage counts as missed, too.
    const missed = await database.transaction('every organization', (tx) =>
      tx.query<{ n: number }>(
        `select count(*) as n
         from silence where last_at > $1`,
        [new Date(began - intervalSeconds * SECOND)],
      ),
    );
    expect(missed).toEqual([{ n: count }]);
  },
);
