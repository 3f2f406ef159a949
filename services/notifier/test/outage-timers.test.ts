import { v7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { runOutageTimers } from '../src/app/run-outage-timers.ts';
import type { Alert } from '../src/domain/alert.ts';
import { alertsWithDueTimers, insertTimers } from '../src/storage/timer-store.ts';
import { notifierDatabase } from './notifier-database.ts';

const fixture = await notifierDatabase();
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => fixture.query('delete from outage_timer'));

const { database, query, logger } = fixture;
const NOW = new Date('2026-01-01T10:00:00Z');
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

/** Inserts an outage with an escalation to a channel. */
async function insertEscalation(channelId: string, organizationId: string, dueAt: Date, changes: Partial<Alert> = {}) {
  const { id: alertId, monitor } = await fixture.insertOutage(organizationId, changes);
  const timer = { kind: 'escalation', alertId, channelId, organizationId, monitorId: monitor.id, dueAt } as const;
  await database.transaction({ organizationId }, async (tx) => insertTimers(tx, [timer]));
  return alertId;
}

test('due timers are read from organizations in turn', async () => {
  const [many, one] = [v7(), v7()];
  const [theirs, mine] = [await fixture.insertChannel(many), await fixture.insertChannel(one)];
  const alerts: string[] = [];
  for (let n = 0; n < 6; n += 1) alerts.push(await insertEscalation(theirs, many, secondsAgo(60 - n)));
  const waiting = await insertEscalation(mine, one, secondsAgo(1));
  await insertEscalation(mine, one, new Date(NOW.getTime() + 1_000));
  const due = await database.transaction('every organization', (tx) => alertsWithDueTimers(tx, NOW, 4));
  expect(due.map(({ alertId }) => alertId)).toEqual([alerts[0], waiting, alerts[1], alerts[2]]);
});

test('an error of one outage does not stop the others, and its timers are tried again later', async () => {
  const [broken, healthy] = [v7(), v7()];
  const brokenDisruption = v7();
  await insertEscalation(await fixture.insertChannel(broken), broken, secondsAgo(60), {
    disruptionId: brokenDisruption,
  });
  const channelId = await fixture.insertChannel(healthy);
  await insertEscalation(channelId, healthy, secondsAgo(1));
  const disruptions = {
    find: async (_: string, id: string) => {
      if (id === brokenDisruption) throw new Error('an unexpected response');
      return undefined;
    },
    acknowledge: async () => 'acknowledged' as const,
  };
  const maintenance = { covers: async () => false };
  const deps = { database, disruptions, maintenance, now: () => NOW, maxMessagesPerHour: 0, logger };
  expect(await runOutageTimers(deps)).toBe('again');
  expect(await query('select from delivery where channel_id = $1', [channelId])).toHaveLength(1);
  expect(fixture.logged.join('')).toContain('an unexpected response');
  expect(await runOutageTimers(deps)).toBe('done');
  expect(await query('select organization_id, due_at > $1 as later from outage_timer', [NOW])).toEqual([
    { organization_id: broken, later: true },
  ]);
});
