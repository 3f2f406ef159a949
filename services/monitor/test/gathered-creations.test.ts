import type { Database } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { currentTrace } from '@tocsin/outbox';
import { contextFromHeaders, inSpan, SpanKind, startTelemetry } from '@tocsin/runtime';
import { countRoundTrips } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { type Creator, createMonitors } from '../src/app/monitors/create-monitor.ts';
import { GatheredCreations } from '../src/app/monitors/gathered-creations.ts';
import type { Deps } from '../src/app/ports.ts';
import { historyFixture } from './start-history.ts';

const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());

const shop = { name: 'Shop', checkType: 'http', configJson: '{"url":"https://example.com/"}' } as const;
const LIMIT = 1_000;

/** Creations whose calls to the notifier wait until the test lets them continue. */
function heldCreations(overrides: Partial<Deps> = {}) {
  const held = Promise.withResolvers<void>();
  const organizationId = v7();
  const lookUp = async () => {
    await held.promise;
    return [];
  };
  const deps = { ...fixture.deps, channels: { existing: lookUp, defaults: lookUp }, ...overrides };
  const creations = new GatheredCreations(deps);
  return {
    organizationId,
    create: (changes: object = {}, creator: Partial<Creator> = {}) =>
      creations.create({ organizationId, limit: LIMIT, ...creator }, { ...shop, ...changes }),
    release: () => held.resolve(),
  };
}

/** Returns the number of monitors that each transaction has inserted, in ascending order. */
async function transactionsOf(organizationId: string): Promise<number[]> {
  const rows = await fixture.database.transaction({ organizationId }, (tx) =>
    tx.query<{ monitors: number }>(
      'select count(*) as monitors from monitor where organization_id = $1 group by xmin order by 1',
      [organizationId],
    ),
  );
  return rows.map(({ monitors }) => monitors);
}

const times = <Result>(count: number, call: (index: number) => Result) =>
  Array.from({ length: count }, (_, i) => call(i));

test('requests that arrive while another one runs share the next transaction', async () => {
  const { organizationId, create, release } = heldCreations();
  const all = times(12, (index) => create({ name: `Shop ${index}` }));
  release();
  const views = await Promise.all(all);
  expect(views.map(({ monitor }) => monitor.name)).toEqual(times(12, (index) => `Shop ${index}`));
  expect(await transactionsOf(organizationId)).toEqual([1, 11]);
});

test('a group has at most 100 monitors', async () => {
  const { organizationId, create, release } = heldCreations();
  const all = times(112, () => create());
  release();
  await Promise.all(all);
  expect(await transactionsOf(organizationId)).toEqual([1, 11, 100]);
});

test('the configs of a group have at most a megabyte', async () => {
  const { organizationId, create, release } = heldCreations();
  const configJson = JSON.stringify({ url: 'https://example.com/', body: 'x'.repeat(60_000) });
  const all = times(22, () => create({ configJson }));
  release();
  await Promise.all(all);
  expect(await transactionsOf(organizationId)).toEqual([1, 4, 17]);
});

test('a request that takes long does not delay later ones', async () => {
  let lookUps = 0;
  const held = Promise.withResolvers<string[]>();
  const defaults = async () => {
    lookUps += 1;
    return lookUps === 1 ? held.promise : [];
  };
  const { organizationId, create } = heldCreations({ channels: { existing: defaults, defaults } });
  const first = create();
  await create();
  expect(await transactionsOf(organizationId)).toEqual([1]);
  held.resolve([]);
  await first;
  expect(await transactionsOf(organizationId)).toEqual([1, 1]);
});

test('a request with an unknown channel fails alone, with one error', async () => {
  const { organizationId, create, release } = heldCreations();
  const all = times(12, (index) => create(index === 7 ? { alertChannelIds: [v7()] } : {}));
  release();
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
  await expect(all[7]).rejects.toMatchObject({
    fields: { 'alert_channel_ids.0': ['is not an alert channel of this organization'] },
  });
  expect(await transactionsOf(organizationId)).toEqual([1, 10]);
});

test('a request that PostgreSQL refuses fails alone', async () => {
  const { organizationId, create, release } = heldCreations();
  const all = times(12, (index) => create(index === 7 ? { configJson: '{"url":"https://example.com/\0"}' } : {}));
  release();
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
  expect((await transactionsOf(organizationId)).reduce((sum, count) => sum + count)).toBe(11);
});

test('requests together create monitors up to the limit', async () => {
  const { organizationId, create, release } = heldCreations();
  const all = times(12, () => create({}, { limit: 5 }));
  release();
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  await expect(all[11]).rejects.toMatchObject({
    fields: { monitors: ['are limited to 5 for this organization, which has 5'] },
  });
  expect((await transactionsOf(organizationId)).reduce((sum, count) => sum + count)).toBe(5);
});

test('a repeat in a group finds its monitor, and the other requests of the group create theirs', async () => {
  const { organizationId, create, release } = heldCreations();
  const repeated = { idempotencyId: v7() };
  const twice = { idempotencyId: v7() };
  const creators: Partial<Creator>[] = [repeated, {}, repeated, twice, { idempotencyId: v7() }, twice, {}];
  const all = creators.map((creator) => create({}, creator));
  release();
  const ids = (await Promise.all(all)).map(({ monitor }) => monitor.id);
  expect(ids[2]).toBe(ids[0]);
  expect(ids[5]).toBe(ids[3]);
  expect(new Set(ids).size).toBe(5);
  expect((await transactionsOf(organizationId)).reduce((sum, count) => sum + count)).toBe(5);
});

test('a creation whose connection is lost during the commit returns its monitor if the request may be repeated', async () => {
  const { database } = fixture;
  let isLost = false;
  const transaction: Database['transaction'] = async (...args) => {
    const result = await database.transaction(...args);
    if (isLost) return result;
    isLost = true;
    throw new Error('the connection was lost after the commit');
  };
  const losing = { read: (...args: Parameters<Database['read']>) => database.read(...args), transaction };
  const { organizationId, create, release } = heldCreations({ database: losing as Database });
  release();
  await expect(create({}, { idempotencyId: v7() })).resolves.toBeDefined();
  expect(await transactionsOf(organizationId)).toEqual([1]);
});

test('the secrets and heartbeats of several monitors are stored without a round trip to PostgreSQL for each', async () => {
  let roundTrips = 0;
  const transaction: Database['transaction'] = (scope, work) =>
    fixture.database.transaction(scope, async (tx) => {
      const counted = countRoundTrips(tx);
      const result = await work(counted);
      roundTrips += counted.roundTrips;
      return result;
    });
  const secret = { ...shop, secrets: new Map([['KEY', 'x']]) };
  const job = { ...shop, checkType: 'heartbeat', configJson: '{}' } as const;
  const inputs = times(20, () => [secret, job]).flat();
  await createMonitors(
    { ...fixture.deps, database: { transaction } as Database },
    { organizationId: v7(), limit: LIMIT },
    inputs,
  );
  // One after the other, they would need 60.
  expect(roundTrips).toBeLessThan(20);
});

test('no request is repeated if the outcome of a commit is unknown', async () => {
  const { database } = fixture;
  const losing: Database = {
    url: database.url,
    endedTransactions: 0,
    async transaction(...args) {
      await database.transaction(...args);
      throw new Error('the connection was lost after the commit');
    },
    read: (...args) => database.read(...args),
    count: (...args) => database.count(...args),
    ping: () => database.ping(),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const { organizationId, create, release } = heldCreations({ database: losing });
  const all = times(12, () => create());
  release();
  const outcomes = await Promise.allSettled(all);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(await transactionsOf(organizationId)).toEqual([1, 11]);
});

test('monitors without channels are created while the notifier is down', async () => {
  const refuse = async () => {
    throw new ServiceError('unavailable', 'the notifier is down');
  };
  const { organizationId, create } = heldCreations({ channels: { existing: refuse, defaults: refuse } });
  const all = times(12, (index) => create(index < 6 ? {} : { alertChannelIds: [] }));
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.map(({ status }) => status)).toEqual(times(12, (index) => (index < 6 ? 'rejected' : 'fulfilled')));
  expect(await transactionsOf(organizationId)).toEqual([1, 5]);
});

test('the event of each monitor has the trace of its request', async () => {
  await using _telemetry = startTelemetry({ service: 'monitor' });
  const { organizationId, create, release } = heldCreations();
  const all = times(5, () =>
    inSpan('request', SpanKind.SERVER, contextFromHeaders({}), async () => {
      const trace = currentTrace();
      return { trace, view: await create() };
    }),
  );
  release();
  const created = await Promise.all(all);
  const traces = await fixture.database.transaction({ organizationId }, (tx) =>
    tx.query<{ id: string; trace: string }>('select aggregate_id as id, trace from outbox where organization_id = $1', [
      organizationId,
    ]),
  );
  expect(new Set(traces.map(({ trace }) => trace)).size).toBe(5);
  expect(new Map(traces.map(({ id, trace }) => [id, trace]))).toEqual(
    new Map(created.map(({ view, trace }) => [view.monitor.id, trace])),
  );
});
