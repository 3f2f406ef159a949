import { v7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { deleteOldDeliveries } from '../src/app/delete-old-deliveries.ts';
import { LANE_SHARES } from '../src/domain/delivery-shares.ts';
import { claimDeliveries } from '../src/storage/claim-deliveries.ts';
import { notifierDatabase } from './notifier-database.ts';
import { rowsRead } from './rows-read.ts';

const fixture = await notifierDatabase();
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => fixture.query('delete from slow_recipient'));

const { database, query } = fixture;
const HOUR_MS = 3_600_000;
const NOW = new Date();

/** Inserts a due delivery to a new channel, and returns the channel. */
async function insertDue(organizationId: string): Promise<string> {
  const channelId = await fixture.insertChannel(organizationId);
  const { id, monitor } = await fixture.insertOutage(organizationId);
  await query(
    `insert into delivery (id, organization_id, alert_id, channel_id, resource_id, status, next_attempt_at, created_at)
     values ($1, $2, $3, $4, $5, 'pending', $6, $6)`,
    [v7(), organizationId, id, channelId, monitor.id, NOW],
  );
  return channelId;
}

const markSlow = (recipientId: string, organizationId: string, hoursAgo: number) =>
  query('insert into slow_recipient values ($1, $2, $3)', [
    recipientId,
    organizationId,
    new Date(NOW.getTime() - hoursAgo * HOUR_MS),
  ]);

test('recipients that timed out are deleted after a day, or if nothing waits for them', async () => {
  const acme = v7();
  const [waiting, old, deleted] = [await insertDue(acme), await insertDue(acme), v7()];
  await markSlow(waiting, acme, 23);
  await markSlow(old, acme, 25);
  await markSlow(deleted, acme, 0);
  await deleteOldDeliveries({ database, now: () => NOW });
  expect(await query('select recipient_id from slow_recipient')).toEqual([{ recipient_id: waiting }]);
});

test('a claim does not read the recipients that timed out and have no due delivery', async () => {
  const acme = v7();
  const channelId = await insertDue(acme);
  await query('insert into slow_recipient select gen_random_uuid(), $1, $2 from generate_series(1, 2000)', [v7(), NOW]);
  await markSlow(channelId, acme, 0);
  const leasedUntil = new Date(NOW.getTime() + HOUR_MS);
  const claim = { running: [], unrecorded: [], now: NOW, leasedUntil, mailLeasedUntil: leasedUntil };
  const { claimed, read } = await database.transaction('every organization', async (tx) => ({
    claimed: await claimDeliveries(tx, claim),
    read: await rowsRead(tx, 'slow_recipient'),
  }));
  expect(claimed.filter(({ to }) => to.id === channelId)).toMatchObject([{ slow: true }]);
  expect(read).toBeLessThan(100);
});

test('a claim does not read the deliveries that wait because their receivers hang', async () => {
  const acme = v7();
  const hanging = await insertDue(acme);
  await markSlow(hanging, acme, 0);
  await query(
    `insert into delivery_head (recipient_id, resource_id, organization_id, delivery_id, attempts, due_at)
     select recipient_id, gen_random_uuid(), organization_id, gen_random_uuid(), n % 2, due_at
     from delivery_head, generate_series(1, 3000) n where recipient_id = $1`,
    [hanging],
  );
  const healthy = await insertDue(acme);
  const slot = () => ({ organizationId: acme, recipientId: v7(), lane: 'slow' as const });
  const running = Array.from({ length: LANE_SHARES.slow.perOrganization }, slot);
  const leasedUntil = new Date(NOW.getTime() + HOUR_MS);
  const claim = { running, unrecorded: [], now: NOW, leasedUntil, mailLeasedUntil: leasedUntil };
  const { claimed, read } = await database.transaction('every organization', async (tx) => ({
    claimed: await claimDeliveries(tx, claim),
    read: await rowsRead(tx, 'delivery_head'),
  }));
  const ofAcme = claimed.filter(({ to }) => to.id === hanging || to.id === healthy);
  expect(ofAcme.map(({ to }) => to.id)).toEqual([healthy]);
  expect(read).toBeLessThan(300);
});
