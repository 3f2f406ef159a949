import { type Database, openDatabase } from '@tocsin/database';
import { type CountedTransaction, countRoundTrips, testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { createStatusPage } from '../src/app/status-pages.ts';
import { type ReplaceDeps, replaceStructure } from '../src/app/structure.ts';
import type { PageSettings } from '../src/domain/page.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';

const settings: PageSettings = {
  name: 'Shop',
  slug: 'shop',
  description: undefined,
  theme: 'system',
  primaryColor: undefined,
  logoLightUrl: undefined,
  logoDarkUrl: undefined,
  showThemeSwitcher: false,
  enabled: false,
  subscribersEnabled: false,
  showUptime: true,
  homepageUrl: undefined,
  supportUrl: undefined,
  locale: 'en',
  noindex: false,
};

async function openPages() {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await testDatabase('statuspage'));
  const { runtimeUrl: url, url: ownerUrl } = storage;
  const database = stack.use(await openDatabase({ url, ownerUrl, entities, migrations }));
  const owned = stack.move();
  return { database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test('the components of a page are changed in one round trip to the database before the commit', async () => {
  await using pages = await openPages();
  const organizationId = v7();
  const counted: CountedTransaction[] = [];
  const database: Pick<Database, 'transaction'> = {
    transaction: (scope, work) =>
      pages.database.transaction(scope, (tx) => {
        const transaction = countRoundTrips(tx);
        counted.push(transaction);
        return work(transaction);
      }),
  };
  const monitor = v7();
  const deps: ReplaceDeps = {
    database,
    now: () => new Date('2026-01-01T10:00:00Z'),
    monitors: { existing: async (_, ids) => [...ids] },
  };
  const { page } = await createStatusPage(
    { ...deps, database: pages.database },
    { organizationId, limit: 1, settings },
  );
  const replace = (description: string, id?: string) =>
    replaceStructure(deps, {
      organizationId,
      id: page.id,
      entries: [
        {
          kind: 'component',
          id,
          name: 'API',
          description,
          monitors: [{ monitorId: monitor, downStatus: 'major_outage' }],
          startDate: undefined,
        },
      ],
    });
  const [created] = (await replace('Old')).entries;
  const { entries } = await replace('New', created?.kind === 'component' ? created.component.id : undefined);
  expect(entries).toMatchObject([{ component: { description: 'New', monitors: [{ monitorId: monitor }] } }]);
  expect(counted.at(-1)?.roundTrips).toBe(1);
});

test.each(['component', 'component_monitor', 'monitor_condition'])(
  'statements read the settings of row-level security once, and not for each %s',
  async (table) => {
    await using pages = await openPages();
    const plan = await pages.database.transaction({ organizationId: v7() }, (tx) =>
      tx.query(`explain select * from ${table}`),
    );
    const filter = plan.flatMap(Object.values).find((line) => String(line).includes('Filter:'));
    expect(filter).toMatch(/InitPlan 1.*InitPlan 2/);
    expect(filter).not.toContain('current_setting');
  },
);
