import { openDatabase } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANE_SHARES, type LaneEntry } from '../src/domain/delivery-shares.ts';
import { claimDeliveries } from '../src/storage/claim-deliveries.ts';
import { deleteOldNotices } from '../src/storage/delete-old.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';
import { deleteUnconfirmed } from '../src/storage/subscriber-store.ts';
import { rowsRead } from './rows-read.ts';

// No worker runs here, so that a test sees each claim.
const stack = new AsyncDisposableStack();
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  const { url } = stack.use(await testDatabase('notifier'));
  database = stack.use(await openDatabase({ url, entities, migrations }));
});
afterAll(() => stack.disposeAsync());

type Work<Result> = Parameters<typeof database.transaction<Result>>[1];
const all = <Result>(work: Work<Result>) => database.transaction('every organization', work);
const query = (sql: string, parameters: readonly unknown[]) => all((tx) => tx.query(sql, parameters));

const due = new Date(Date.now() - 60_000);

/** Inserts a page of an organization with confirmed subscribers, and a due notice to each of them. */
async function insertNotices(organizationId: string, count: number): Promise<string> {
  const [page, notice] = [v7(), v7()];
  await query(
    `insert into subscribed_page (id, organization_id, name, url, locale) values ($1, $2, 'Acme', 'u', 'en')`,
    [page, organizationId],
  );
  await query(
    `insert into subscriber (id, organization_id, status_page_id, sealed_address, status, created_at, confirmed_at)
     select gen_random_uuid(), $1, $2, 'sealed', 'confirmed', $4, $4 from generate_series(1, $3)`,
    [organizationId, page, count, due],
  );
  await query(
    `insert into page_notice (id, organization_id, status_page_id, update_id, content, occurred_at)
     values ($1, $2, $3, $1, '{}', $4)`,
    [notice, organizationId, page, due],
  );
  await query(
    `insert into delivery (id, organization_id, resource_id, page_notice_id, subscriber_id, status, next_attempt_at, created_at)
     select gen_random_uuid(), $1, $2, $2, id, 'pending', $4, $4 from subscriber where status_page_id = $3`,
    [organizationId, notice, page, due],
  );
  return page;
}

/** Inserts a message to a webhook subscription of an organization, which is due later than the notices. */
async function insertMessage(organizationId: string): Promise<string> {
  const [subscription, message, delivery] = [v7(), v7(), v7()];
  const at = new Date(due.getTime() + 30_000);
  await query(
    `insert into subscription (id, organization_id, url, events, sealed_secret, enabled, revision, created_at, updated_at)
     values ($1, $2, 'u', '{}', 's', true, 1, $3, $3)`,
    [subscription, organizationId, at],
  );
  await query(
    `insert into message (id, organization_id, event_id, kind, body, occurred_at) values ($1, $2, $1, 'k', 'b', $3)`,
    [message, organizationId, at],
  );
  await query(
    `insert into delivery (id, organization_id, resource_id, message_id, subscription_id, status, next_attempt_at, created_at)
     values ($1, $2, $1, $3, $4, 'pending', $5, $5)`,
    [delivery, organizationId, message, subscription, at],
  );
  return delivery;
}

const claimOf = (running: readonly LaneEntry[] = [], unrecorded: readonly string[] = [], now = new Date()) => {
  const leasedUntil = new Date(now.getTime() + 30_000);
  return { running, unrecorded, now, leasedUntil, mailLeasedUntil: leasedUntil };
};
const claim = (...parameters: Parameters<typeof claimOf>) => all((tx) => claimDeliveries(tx, claimOf(...parameters)));

test('thousands of notices that are due earlier do not delay an alert, and use only the slots of their lane', async () => {
  const acme = v7();
  await insertNotices(acme, 3_000);
  const running: LaneEntry[] = [];
  for (let round = 0; round < 3; round += 1) {
    const alert = await insertMessage(acme);
    const claimed = await claim(running);
    expect(claimed.filter(({ toSubscriber }) => !toSubscriber).map(({ id }) => id)).toEqual([alert]);
    for (const { toSubscriber, to } of claimed) {
      if (toSubscriber) running.push({ organizationId: acme, recipientId: to.id, lane: 'subscriber' });
    }
    // The first claim uses all slots that one organization can have.
    expect(running).toHaveLength(LANE_SHARES.subscriber.perOrganization);
  }
});

test('the notices of two organizations share the lane', async () => {
  const [many, few] = [v7(), v7()];
  await insertNotices(many, 500);
  await insertNotices(few, 1);
  const claimed = await claim();
  expect(claimed.filter(({ organizationId }) => organizationId === few)).toHaveLength(1);
});

test('a delivery whose lease has ended is claimed again, except by the process that has not recorded its outcome', async () => {
  const message = await insertMessage(v7());
  const notice = await insertNotices(v7(), 1);
  const ids = (await claim()).map(({ id }) => id);
  expect(ids).toContain(message);
  const later = new Date(Date.now() + 31_000);
  const again = (unrecorded: readonly string[]) => claim([], unrecorded, later);
  expect((await again(ids)).filter(({ id }) => ids.includes(id))).toEqual([]);
  const claimed = await again([]);
  expect(claimed.map(({ id }) => id)).toContain(message);
  expect(claimed.filter(({ to }) => to.kind === 'subscriber' && to.page.id === notice)).toHaveLength(1);
});

test.each([
  ['has a slot', 0],
  ['has no slot', LANE_SHARES.subscriber.perOrganization],
])('a claim reads few of the notices of an organization that %s for them', async (_, slots) => {
  const acme = v7();
  await insertNotices(acme, 1_000);
  const running = Array.from({ length: slots }, (): LaneEntry => {
    return { organizationId: acme, recipientId: v7(), lane: 'subscriber' };
  });
  const read = await all(async (tx) => {
    await claimDeliveries(tx, claimOf(running));
    return rowsRead(tx, 'delivery_head');
  });
  expect(read).toBeLessThan(300);
});

test('ended deliveries to subscribers, and subscribers that have not confirmed, are deleted', async () => {
  const page = await insertNotices(v7(), 2);
  const [past, soon] = [new Date(due.getTime() - 60_000), new Date(Date.now() + 60_000)];
  await query(
    `update delivery set status = 'sent', finished_at = $2
     where subscriber_id in (select id from subscriber where status_page_id = $1)`,
    [page, due],
  );
  expect(await all((tx) => deleteOldNotices(tx, past, 10))).toBe(0);
  expect(await all((tx) => deleteOldNotices(tx, soon, 10))).toBe(2);
  await query(
    `insert into subscriber (id, organization_id, status_page_id, sealed_address, status, created_at)
     select gen_random_uuid(), organization_id, id, 'sealed', 'pending', $2 from subscribed_page where id = $1`,
    [page, due],
  );
  const count = async () => (await query('select from subscriber where status_page_id = $1', [page])).length;
  await all((tx) => deleteUnconfirmed(tx, past));
  expect(await count()).toBe(3);
  await all((tx) => deleteUnconfirmed(tx, soon));
  expect(await count()).toBe(2);
});
