import { randomUUID } from 'node:crypto';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { withIdempotencyId } from '@tocsin/runtime';
import { EXECUTED_ONCE, eventually, observeRepeats } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { CONFIG, monitorFixture } from './start-monitor.ts';

const fixture = await monitorFixture();
const replica = await fixture.start();
afterAll(() => fixture[Symbol.asyncDispose]());

const shop = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG };
const job = { name: 'Job', checkType: CheckType.HEARTBEAT, configJson: '{}' };

type Client = Awaited<ReturnType<typeof replica.clientOf>>;

const lister = (client: Client) => ({
  list: async () => (await client.listMonitors({})).monitors.map(({ id }) => id),
  remove: async (ids: readonly string[]) => {
    for (const id of ids) await client.deleteMonitor({ id });
  },
});

test('a repeated creation creates one monitor, even if it is the last one of the quota', async () => {
  const client = await replica.clientOf(v7(), { limits: { monitors: 1 } });
  const repeated = withIdempotencyId(randomUUID(), {});
  const observed = await observeRepeats({
    create: async () => [(await client.createMonitor(shop, repeated)).monitor?.id ?? ''],
    ...lister(client),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

test('a repeated batch creates its monitors once, even if they are the last ones of the quota', async () => {
  const client = await replica.clientOf(v7(), { limits: { monitors: 3 } });
  const repeated = withIdempotencyId(randomUUID(), {});
  const observed = await observeRepeats({
    create: async () =>
      (await client.createMonitors({ monitors: [shop, job, shop] }, repeated)).monitors.map(({ id }) => id),
    ...lister(client),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

test('a repeat returns the monitor as it is now, with the token of its heartbeat, and appends no event', async () => {
  const organizationId = v7();
  const client = await replica.clientOf(organizationId);
  const repeated = withIdempotencyId(randomUUID(), {});
  const { monitor } = await client.createMonitor(job, repeated);
  const { id = '', heartbeatToken } = monitor ?? {};
  await client.updateMonitor({ id, name: 'Backup' });
  expect((await client.createMonitor(job, repeated)).monitor).toMatchObject({ id, heartbeatToken, name: 'Backup' });
  const [row] = await fixture.tables.transaction('every organization', (tx) =>
    tx.query<{ events: number }>('select last as events from outbox_sequence where aggregate_id = $1', [id]),
  );
  expect(row?.events).toBe(2);
});

test('a batch of which one monitor was deleted since is a conflict', async () => {
  const client = await replica.clientOf(v7());
  const repeated = withIdempotencyId(randomUUID(), {});
  const create = () => client.createMonitors({ monitors: [shop, shop] }, repeated);
  const { monitors } = await create();
  await client.deleteMonitor({ id: monitors[0]?.id ?? '' });
  await expect(create()).rejects.toMatchObject({ kind: 'conflict' });
  expect((await client.listMonitors({})).monitors).toHaveLength(1);
});

test('an id that is not a UUID is refused', async () => {
  const client = await replica.clientOf(v7());
  await expect(client.createMonitor(shop, withIdempotencyId('once', {}))).rejects.toMatchObject({
    fields: { 'tocsin-idempotency-id': ['must be a UUID'] },
  });
});

test('the same id of another organization creates a monitor of that organization', async () => {
  const repeated = withIdempotencyId(randomUUID(), {});
  const acme = await replica.clientOf(v7());
  const rival = await replica.clientOf(v7());
  const { monitor } = await acme.createMonitor(shop, repeated);
  const { monitor: other } = await rival.createMonitor(shop, repeated);
  expect(other?.id).not.toBe(monitor?.id);
  expect((await rival.listMonitors({})).monitors.map(({ id }) => id)).toEqual([other?.id]);
});

test('requests that can not be repeated any more are deleted', async () => {
  const organizationId = v7();
  const client = await replica.clientOf(organizationId);
  await client.createMonitor(shop, withIdempotencyId(randomUUID(), {}));
  const recorded = () =>
    fixture.tables.transaction('every organization', (tx) =>
      tx.query('select from executed_request where organization_id = $1', [organizationId]),
    );
  expect(await recorded()).toHaveLength(1);
  fixture.clock.advance(2 * 86_400_000);
  await fixture.start();
  await eventually(async () => expect(await recorded()).toEqual([]));
});
