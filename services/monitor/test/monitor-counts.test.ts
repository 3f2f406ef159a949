import { openDatabase } from '@tocsin/database';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { migrations } from '../src/storage/migrations/index.ts';
import { CONFIG, monitorFixture } from './start-monitor.ts';

const fixture = await monitorFixture();
const replicas = [await fixture.start(), await fixture.start()] as const;
afterAll(() => fixture[Symbol.asyncDispose]());

const shop = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG };

interface Counts {
  stored: number;
  counted: number;
}

const COUNTS = `
  select (select count(*) from monitor where organization_id = $1) as stored,
         (select coalesce(sum(monitors), 0) from monitor_count where organization_id = $1) as counted`;

const countsOf = async (organizationId: string) =>
  (await fixture.tables.transaction('every organization', (tx) => tx.query<Counts>(COUNTS, [organizationId])))[0];

test('the count is right after concurrent creations, refused creations and deletions by two replicas', async () => {
  const organizationId = v7();
  const limits = { monitors: 50 };
  const clients = await Promise.all(replicas.map(({ clientOf }) => clientOf(organizationId, { limits })));
  /** Creates monitors with all clients, and deletes some of them while others are still being created. */
  const change = async (index: number) => {
    const client = clients[index % clients.length];
    const { monitor } = (await client?.createMonitor(shop)) ?? {};
    const { monitors = [] } = (await client?.createMonitors({ monitors: Array(1 + (index % 5)).fill(shop) })) ?? {};
    await Promise.all([monitor, ...monitors.slice(2)].map((one) => client?.deleteMonitor({ id: one?.id ?? '' })));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => change(index)));
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ fields: { monitors: expect.anything() } });
  }
  const { stored = 0, counted } = (await countsOf(organizationId)) ?? {};
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThanOrEqual(50);
  expect(counted).toBe(stored);
});

test('a change to monitors of several organizations changes the count of each', async () => {
  const organizations = [v7(), v7()];
  for (const [index, organizationId] of organizations.entries()) {
    const client = await replicas[0].clientOf(organizationId);
    await client.createMonitors({ monitors: Array(2 + index).fill(shop) });
  }
  const remove =
    'delete from monitor where id in (select min(id::text)::uuid from monitor where organization_id = any($1) group by organization_id)';
  await fixture.tables.transaction('every organization', (tx) => tx.query(remove, [organizations]));
  const counts = await Promise.all(organizations.map(countsOf));
  expect(counts).toEqual([
    { stored: 1, counted: 1 },
    { stored: 2, counted: 2 },
  ]);
});

test('monitors from before the counts are counted by the migration', async () => {
  await using schema = await testDatabase('monitor');
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === '020-monitor-counts'),
  );
  const organizations = [v7(), v7()];
  {
    await using old = await openDatabase({ url: schema.url, entities: [], migrations: before });
    for (const [index, organizationId] of organizations.entries()) {
      const copy = `insert into monitor select (jsonb_populate_record(null::monitor, $1::jsonb)).*`;
      await old.transaction({ organizationId }, async (tx) => {
        for (let count = 0; count <= index; count += 1) {
          await tx.query(copy, [JSON.stringify(await storedMonitor({ id: v7(), organization_id: organizationId }))]);
        }
      });
    }
  }
  await using database = await openDatabase({ url: schema.url, entities: [], migrations });
  const counts = await database.transaction('every organization', (tx) =>
    Promise.all(organizations.map((id) => tx.query<Counts>(COUNTS, [id]))),
  );
  expect(counts.flat()).toEqual([
    { stored: 1, counted: 1 },
    { stored: 2, counted: 2 },
  ]);
});

/** Returns the row of a monitor with other values in some columns. */
async function storedMonitor(changes: object): Promise<object> {
  const client = await replicas[0].clientOf(v7());
  const { monitor } = await client.createMonitor(shop);
  const [row] = await fixture.tables.transaction('every organization', (tx) =>
    tx.query<{ row: object }>('select to_jsonb(m) as row from monitor m where id = $1', [monitor?.id]),
  );
  return { ...row?.row, ...changes };
}
