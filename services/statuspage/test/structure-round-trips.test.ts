import type { Database } from '@tocsin/database';
import { type CountedTransaction, countRoundTrips } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { LinkDeps } from '../src/app/linkable-monitors.ts';
import { createStatusPage } from '../src/app/status-pages.ts';
import { replaceStructure } from '../src/app/structure.ts';
import { settings } from './page-settings.ts';
import { openPages } from './pages-database.ts';

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
  const deps: LinkDeps = {
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
