import type { Database } from '@tocsin/database';
import { type CountedTransaction, countRoundTrips, eventually } from '@tocsin/testing';
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
  const replace = (description: string, id?: string) => {
    const component = {
      ...({ kind: 'component', id, name: 'API', description, startDate: undefined } as const),
      monitors: [{ monitorId: monitor, downStatus: 'major_outage' } as const],
    };
    return replaceStructure(deps, { organizationId, id: page.id, entries: [component] }, async (details) => details);
  };
  const [created] = (await replace('Old')).entries;
  const { entries } = await replace('New', created?.kind === 'component' ? created.component.id : undefined);
  expect(entries).toMatchObject([{ component: { description: 'New', monitors: [{ monitorId: monitor }] } }]);
  expect(counted.at(-1)?.roundTrips).toBe(1);
});

test.each([
  ['updated', ['C', 'B', 'A']],
  ['updated or deleted', ['C', 'A']],
])('components that are %s are locked in the order of their ids', async (_, names) => {
  await using pages = await openPages();
  const organizationId = v7();
  const deps: LinkDeps = {
    database: pages.database,
    now: () => new Date('2026-01-01T10:00:00Z'),
    monitors: { existing: async (_, ids) => [...ids] },
  };
  const scope = { organizationId };
  const { page } = await createStatusPage({ ...deps, database: pages.database }, { ...scope, limit: 1, settings });
  const replace = (entries: readonly { readonly id?: string; readonly name: string }[]) =>
    replaceStructure(
      deps,
      {
        organizationId,
        id: page.id,
        entries: entries.map(({ id, name }) => ({
          ...({ kind: 'component', id, name, monitors: [] } as const),
          description: undefined,
          startDate: undefined,
        })),
      },
      async (details) => details,
    );
  await replace(['A', 'B', 'C'].map((name) => ({ name })));
  const ids = await pages.database.transaction(scope, async (tx) =>
    (await tx.query<{ id: string }>('select id from component order by id')).map(({ id }) => id),
  );
  const [first, ...others] = ids;
  const lock = 'select from component where id = any($1) for update nowait';
  let replacing: Promise<unknown> | undefined;
  await pages.database.transaction(scope, async (tx) => {
    await tx.query(lock, [[first]]);
    replacing = replace(names.map((name) => ({ id: ids['ABC'.indexOf(name)] ?? '', name: `${name} again` })));
    await eventually(async () => {
      const sql = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      expect(await pages.database.read('every organization', sql)).toHaveLength(1);
    });
    // The replacement waits for the first component, and has not locked the others.
    expect(await tx.query(lock, [others])).toHaveLength(2);
  });
  await replacing;
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
