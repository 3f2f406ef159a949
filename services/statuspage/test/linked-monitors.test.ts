import type { Database } from '@tocsin/database';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { createComponent, updateComponent } from '../src/app/components.ts';
import type { LinkDeps } from '../src/app/linkable-monitors.ts';
import { unlinkMonitor } from '../src/app/monitor-links.ts';
import { recordConditions } from '../src/app/record-condition.ts';
import { createStatusPage } from '../src/app/status-pages.ts';
import { replaceStructure } from '../src/app/structure.ts';
import type { MonitorLink } from '../src/domain/tree.ts';
import { settings } from './page-settings.ts';
import { openPages } from './pages-database.ts';

const pages = await openPages();
afterAll(() => pages[Symbol.asyncDispose]());
const now = new Date('2026-01-01T10:00:00Z');
let slugs = 0;

const linkTo = (monitorId: string): MonitorLink => ({ monitorId, downStatus: 'major_outage' });
const unreachable: LinkDeps['monitors'] = {
  existing: async () => {
    throw new Error('the monitor service was called');
  },
};

/** Creates a page of a new organization. */
async function aPage() {
  const organizationId = v7();
  slugs += 1;
  const wanted = { ...settings, slug: `page-${slugs}` };
  const { page } = await createStatusPage(
    { database: pages.database, now: () => now },
    { organizationId, limit: 1, settings: wanted },
  );
  const key = { organizationId, pageId: page.id };
  const deps = { database: pages.database, now: () => now, monitors: unreachable };
  return {
    key,
    deps,
    /** Stores the condition of a new monitor, as the event about its creation does. */
    async addMonitor(): Promise<string> {
      const monitorId = v7();
      const condition = { enabled: true, state: 'pending' } as const;
      await pages.database.transaction({ organizationId }, (tx) =>
        recordConditions(tx, organizationId, [{ monitorId, condition, at: now }]),
      );
      return monitorId;
    },
    replace: (monitorIds: readonly string[], replaced: Partial<LinkDeps> = {}) =>
      replaceStructure(
        { ...deps, ...replaced },
        {
          organizationId,
          id: page.id,
          entries: monitorIds.map((monitorId, index) => ({
            kind: 'component',
            id: undefined,
            name: `C${index}`,
            description: undefined,
            monitors: [linkTo(monitorId)],
            startDate: undefined,
          })),
        },
        async (details) => details,
      ),
    links: async () => {
      const rows = await pages.database.transaction({ organizationId }, (tx) =>
        tx.query<{ monitor_id: string }>('select monitor_id from component_monitor order by monitor_id'),
      );
      return rows.map(({ monitor_id }) => monitor_id);
    },
  };
}

const settingsOf = (monitorId: string) => ({
  name: 'API',
  description: undefined,
  startDate: undefined,
  groupId: undefined,
  monitors: [linkTo(monitorId)],
});

test('components are linked to monitors whose conditions are stored without a call to the monitor service', async () => {
  const { key, deps, addMonitor, replace, links } = await aPage();
  const [one, two, three] = [await addMonitor(), await addMonitor(), await addMonitor()];
  await replace([one]);
  await replace([one, two]);
  const { id } = await createComponent(deps, { ...key, input: settingsOf(one) });
  await updateComponent(deps, { ...key, id, changes: { monitors: [linkTo(three)] } });
  expect(await links()).toEqual([one, two, three]);
});

test('the monitor service is asked about monitors without a stored condition, while no transaction is open', async () => {
  const { key, addMonitor, replace, links, deps } = await aPage();
  const [stored, justCreated, unknown] = [await addMonitor(), v7(), v7()];
  const asked: string[][] = [];
  let open = 0;
  const database: LinkDeps['database'] = {
    async transaction(scope, work) {
      open += 1;
      try {
        return await pages.database.transaction(scope, work);
      } finally {
        open -= 1;
      }
    },
  };
  const monitors: LinkDeps['monitors'] = {
    async existing(organizationId, ids) {
      expect({ organizationId, open }).toEqual({ organizationId: key.organizationId, open: 0 });
      asked.push([...ids]);
      return ids.filter((id) => id === justCreated);
    },
  };
  const asking = { ...deps, database, monitors };
  await replace([stored, justCreated], asking);
  expect(await links()).toEqual([stored, justCreated]);
  const fields = { 'components.1.monitors.0.monitor_id': ['is not a monitor of this organization'] };
  await expect(replace([stored, unknown], asking)).rejects.toMatchObject({ kind: 'invalid', fields });
  await expect(createComponent(asking, { ...key, input: settingsOf(unknown) })).rejects.toMatchObject({
    fields: { 'monitors.0.monitor_id': ['is not a monitor of this organization'] },
  });
  expect(await links()).toEqual([stored, justCreated]);
  expect(asked).toEqual([[justCreated], [unknown], [unknown]]);
});

test('a condition of another organization does not make its monitor known', async () => {
  const [mine, theirs] = [await aPage(), await aPage()];
  const foreign = await theirs.addMonitor();
  const monitors = { existing: async () => [] };
  await expect(mine.replace([foreign], { monitors })).rejects.toMatchObject({ kind: 'invalid' });
});

/** Waits until a transaction of this database waits for a lock. */
function waitsForLock(): Promise<void> {
  return eventually(async () => {
    const waiting = await pages.database.read(
      'every organization',
      `select pid from pg_locks where not granted and relation is null`,
    );
    expect(waiting).not.toEqual([]);
  });
}

test('a monitor that is deleted while a component is linked to it leaves no link', async () => {
  const { key, addMonitor, replace, links } = await aPage();
  const { organizationId } = key;
  const monitorId = await addMonitor();
  let deletion: Promise<void> | undefined;
  const database: Pick<Database, 'transaction'> = {
    transaction: (scope, work) =>
      pages.database.transaction(scope, async (tx) => {
        const result = await work(tx);
        deletion = pages.database.transaction(scope, (other) =>
          unlinkMonitor(other, { organizationId, monitorId }, now),
        );
        await Promise.race([deletion, waitsForLock()]);
        return result;
      }),
  };
  await replace([monitorId], { database, monitors: { existing: async (_, ids) => [...ids] } });
  await deletion;
  expect(await links()).toEqual([]);
});

test('a component is not linked to a monitor whose deletion is not committed yet', async () => {
  const { key, addMonitor, replace, links } = await aPage();
  const { organizationId } = key;
  const [monitorId, other] = [await addMonitor(), await addMonitor()];
  await replace([other]);
  const asked: string[][] = [];
  const monitors: LinkDeps['monitors'] = {
    async existing(_, ids) {
      asked.push([...ids]);
      return [];
    },
  };
  await pages.database.transaction({ organizationId }, async (tx) => {
    await unlinkMonitor(tx, { organizationId, monitorId }, now);
    // Would never end if it waited for the deletion.
    await expect(replace([other, monitorId], { monitors })).rejects.toMatchObject({ kind: 'invalid' });
  });
  expect(asked).toEqual([[monitorId]]);
  expect(await links()).toEqual([other]);
});
