import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { sendStorms } from '../src/app/send-storms.ts';
import { insertStorm } from '../src/storage/storm-store.ts';
import { notifierDatabase } from './notifier-database.ts';

const fixture = await notifierDatabase();
afterAll(() => fixture[Symbol.asyncDispose]());

const { database, query, logger } = fixture;
const NOW = new Date('2026-01-01T10:00:00Z');

/** Inserts a storm with two monitors, whose message to a channel is due. Returns the channel. */
async function insertDueStorm(organizationId: string, dueAt: Date): Promise<string> {
  const [id, channelId] = [v7(), await fixture.insertChannel(organizationId)];
  await database.transaction({ organizationId }, async (tx) =>
    insertStorm(tx, { id, organizationId, startedAt: dueAt, dueAt }),
  );
  for (let n = 0; n < 2; n += 1) {
    const alert = await fixture.insertOutage(organizationId);
    await query(
      `insert into delivery (id, organization_id, alert_id, channel_id, resource_id, status, next_attempt_at, created_at,
         finished_at, storm_id)
       values ($1, $2, $3, $4, $5, 'grouped', $6, $6, $6, $7)`,
      [v7(), organizationId, alert.id, channelId, alert.monitor.id, dueAt, id],
    );
  }
  return channelId;
}

test('an error of one storm does not stop the others, and the storm is tried again later', async () => {
  const [broken, healthy] = [v7(), v7()];
  const failing = await insertDueStorm(broken, new Date(NOW.getTime() - 2_000));
  const channelId = await insertDueStorm(healthy, new Date(NOW.getTime() - 1_000));
  await query(`alter table alert add constraint fails check (organization_id <> '${broken}' or changes is null)`);
  const messages = (id: string) =>
    query(`select from delivery where channel_id = $1 and status = 'pending' and storm_id is null`, [id]);
  let ahead = 0;
  const now = () => new Date(NOW.getTime() + ahead);
  const deps = { database, now, maxMessagesPerHour: 0, logger };

  await sendStorms(deps);
  expect(await messages(channelId)).toHaveLength(1);
  expect(await messages(failing)).toHaveLength(0);
  expect(fixture.logged.join('')).toContain('violates check constraint');
  await query('alter table alert drop constraint fails');
  await sendStorms(deps);
  expect(await messages(failing)).toHaveLength(0);
  ahead = 10_000;
  await sendStorms(deps);
  expect(await messages(failing)).toHaveLength(1);
});
