import { timestampDate } from '@bufbuild/protobuf/wkt';
import { outgoingEvent } from '@tocsin/outbox';
import { MonitorDeletedSchema } from '@tocsin/proto/monitor/v1/events';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { component, componentsByName, freshSlug, group, outline, statusPageFixture } from './statuspage-fixture.ts';

const clock = manualClock();
const fixture = await statusPageFixture({ now: clock.now });
const { rpc } = fixture;
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

async function createPage(): Promise<string> {
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug: freshSlug() }, us);
  return statusPage?.id ?? '';
}

async function replace(id: string, entries: ReturnType<typeof component>[]) {
  return (await rpc.replaceStructure({ id, entries }, us)).statusPage?.entries;
}

test('a structure is returned in the order in which it was sent, with its links and with positions that start at 0', async () => {
  const id = await createPage();
  const monitorId = fixture.addMonitor(organizationId);
  const degraded = { monitorId, downStatus: ComponentStatus.DEGRADED_PERFORMANCE };
  const entries = await replace(id, [
    component({ name: 'Website', description: 'www.example.com' }),
    group('Core', [
      { name: 'API', monitors: [degraded] },
      { name: 'Database', monitors: [{ monitorId }] },
    ]),
    component({ name: 'Mail' }),
    group('Empty', []),
  ]);
  expect(outline(entries)).toEqual(['Website', { Core: ['API', 'Database'] }, 'Mail', { Empty: [] }]);
  expect(entries?.map(({ entry }) => entry.value?.position)).toEqual([0, 1, 2, 3]);
  const { Website, API, Database } = componentsByName(entries);
  expect(Website).toMatchObject({ description: 'www.example.com', status: ComponentStatus.OPERATIONAL });
  expect(Website?.componentGroupId).toBeUndefined();
  expect(API).toMatchObject({ position: 0, componentGroupId: entries?.[1]?.entry.value?.id, monitors: [degraded] });
  expect(Database).toMatchObject({ position: 1, monitors: [{ monitorId, downStatus: ComponentStatus.MAJOR_OUTAGE }] });
  expect((await rpc.getStatusPage({ id }, us)).statusPage?.entries).toEqual(entries);
});

test('the id of an entry does not change when the entry moves, and entries that the request omits are deleted', async () => {
  const id = await createPage();
  const before = await replace(id, [
    group('Core', [{ name: 'API' }, { name: 'Database' }]),
    component({ name: 'Mail' }),
  ]);
  const { API, Mail, Database } = componentsByName(before);
  clock.advance(60_000);
  const after = await replace(id, [
    // Ids are compared without regard to case.
    component({ id: API?.id.toUpperCase() ?? '', name: 'API' }),
    group('New', [{ id: Mail?.id ?? '', name: 'Mail' }, { name: 'Search' }]),
  ]);
  expect(outline(after)).toEqual(['API', { New: ['Mail', 'Search'] }]);
  const now = componentsByName(after);
  expect(now.API?.id).toBe(API?.id);
  expect(now.Mail).toMatchObject({ id: Mail?.id, componentGroupId: after?.[1]?.entry.value?.id });
  expect(now.API?.createdAt).toEqual(API?.createdAt);
  expect(now.API?.updatedAt && timestampDate(now.API.updatedAt)).toEqual(clock.now());
  // The response is computed from the request, so compare it with the stored structure.
  expect((await rpc.getStatusPage({ id }, us)).statusPage?.entries).toEqual(after);
  await expect(replace(id, [component({ id: Database?.id ?? '', name: 'Database' })])).rejects.toMatchObject({
    fields: { 'components.0.id': ['is not a component of this page'] },
  });
});

test('sending the same structure again does not change updated_at', async () => {
  const id = await createPage();
  const entries = await replace(id, [component({ name: 'API' })]);
  const before = (await rpc.getStatusPage({ id }, us)).statusPage;
  clock.advance(60_000);
  await replace(id, [component({ id: componentsByName(entries).API?.id ?? '', name: 'API' })]);
  expect((await rpc.getStatusPage({ id }, us)).statusPage).toEqual(before);
});

test('an invalid structure changes nothing, and every error is returned with its path', async () => {
  const id = await createPage();
  const elsewhere = await replace(await createPage(), [group('Theirs', [{ name: 'API' }])]);
  const before = await replace(id, [component({ name: 'API' })]);
  const stranger = { monitorId: fixture.addMonitor(v7()) };
  const own = componentsByName(before).API?.id ?? '';
  await expect(
    replace(id, [
      component({ id: own, name: '' }),
      group('Core', [
        { id: own, name: 'API' },
        { name: 'Web', monitors: [stranger, { monitorId: 'nonsense' }] },
      ]),
      group('Theirs', [], elsewhere?.[0]?.entry.value?.id),
      { entry: { case: undefined } },
    ]),
  ).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      'components.0.name': ['is required'],
      'components.1.components.0.id': ['appears twice'],
      'components.1.components.1.monitors.0.monitor_id': ['is not a monitor of this organization'],
      'components.1.components.1.monitors.1.monitor_id': ['is not a monitor of this organization'],
      'components.2.id': ['is not a group of this page'],
      'components.3.type': ['must be group or component'],
    },
  });
  expect((await rpc.getStatusPage({ id }, us)).statusPage?.entries).toEqual(before);
});

test('concurrent replacements of a structure are never mixed', async () => {
  const id = await createPage();
  await replace(id, [component({ name: 'Old' })]);
  const trees = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => [
    group(
      letter,
      [1, 2, 3].map((number) => ({ name: `${letter}${number}` })),
    ),
    component({ name: `${letter}4` }),
  ]);
  const answers = await Promise.all(
    trees.map(async (entries, index) => {
      const client = index % 2 === 0 ? rpc : fixture.replica;
      return outline((await client.replaceStructure({ id, entries }, us)).statusPage?.entries);
    }),
  );
  const wanted = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => [
    { [letter]: [`${letter}1`, `${letter}2`, `${letter}3`] },
    `${letter}4`,
  ]);
  expect(answers).toEqual(wanted);
  expect(wanted).toContainEqual(outline((await rpc.getStatusPage({ id }, us)).statusPage?.entries));
});

test('500 components are replaced at once', async () => {
  const id = await createPage();
  const monitorId = fixture.addMonitor(organizationId);
  const tree = (suffix: string) =>
    Array.from({ length: 10 }, (_, g) =>
      group(
        `Group ${g}`,
        Array.from({ length: 50 }, (_, c) => ({ name: `${g}-${c}${suffix}`, monitors: [{ monitorId }] })),
      ),
    );
  expect(Object.keys(componentsByName(await replace(id, tree(''))))).toHaveLength(500);
  const recreated = Object.keys(componentsByName(await replace(id, tree(' again'))));
  expect(recreated).toHaveLength(500);
  expect(recreated.every((name) => name.endsWith(' again'))).toBe(true);
});

test('linked components are found on all pages of the organization, but not on pages of other organizations', async () => {
  const monitorId = fixture.addMonitor(organizationId);
  const downStatus = ComponentStatus.PARTIAL_OUTAGE;
  const [one, two] = [await createPage(), await createPage()];
  const first = componentsByName(
    await replace(one, [component({ name: 'API', monitors: [{ monitorId, downStatus }] })]),
  );
  const second = componentsByName(await replace(two, [group('Core', [{ name: 'Web', monitors: [{ monitorId }] }])]));
  const { statusPage } = await rpc.updateStatusPage({ id: two, enabled: true }, us);
  const { components } = await rpc.listLinkedComponents({ monitorId }, us);
  // Only the second page is public, so only its component has a page URL.
  expect(components).toMatchObject([
    { id: first.API?.id, name: 'API', statusPageId: one, downStatus, statusPageUrl: '' },
    {
      id: second.Web?.id,
      statusPageId: two,
      downStatus: ComponentStatus.MAJOR_OUTAGE,
      statusPageUrl: statusPage?.url,
    },
  ]);
  expect(statusPage?.url).toMatch(/^http/);
  expect((await rpc.listLinkedComponents({ monitorId }, await fixture.as(v7()))).components).toEqual([]);
  expect((await rpc.listLinkedComponents({ monitorId: 'nonsense' }, us)).components).toEqual([]);
  const componentIds = [first.API?.id ?? '', second.Web?.id ?? '', 'nonsense'];
  expect((await rpc.listLinkedMonitors({ componentIds }, us)).monitorIds).toEqual([monitorId]);
  expect((await rpc.listLinkedMonitors({ componentIds }, await fixture.as(v7()))).monitorIds).toEqual([]);
  const linksOf = async (monitorIds: string[], as = us) =>
    (await rpc.listPageLinks({ statusPageId: components[0]?.statusPageId ?? '', monitorIds }, as)).links;
  expect(await linksOf([v7(), monitorId, 'nonsense'])).toMatchObject([{ monitorId, component: components[0] ?? {} }]);
  expect(await linksOf([])).toEqual([]);
  expect(await linksOf([monitorId], await fixture.as(v7()))).toEqual([]);
  expect((await rpc.listPageLinks({ statusPageId: 'nonsense', monitorIds: [monitorId] }, us)).links).toEqual([]);
  await expect(linksOf(Array.from({ length: 1_001 }, () => monitorId))).rejects.toMatchObject({ kind: 'invalid' });
});

test('a deleted monitor is unlinked from all components', async () => {
  const [gone, staying] = [fixture.addMonitor(organizationId), fixture.addMonitor(organizationId)];
  const id = await createPage();
  await replace(id, [component({ name: 'API', monitors: [{ monitorId: gone }, { monitorId: staying }] })]);
  await fixture.publish(
    outgoingEvent(
      MonitorDeletedSchema,
      { monitor: { id: gone, organizationId } },
      { organizationId, aggregateId: gone },
    ),
  );
  await eventually(async () => {
    const { statusPage } = await rpc.getStatusPage({ id }, us);
    expect(componentsByName(statusPage?.entries).API?.monitors).toMatchObject([{ monitorId: staying }]);
  });
  expect((await rpc.listLinkedComponents({ monitorId: gone }, us)).components).toEqual([]);
});

test('rows of another organization are invisible even to a query without a filter', async () => {
  const other = v7();
  const them = await fixture.as(other);
  const { statusPage } = await rpc.createStatusPage({ name: 'Theirs', slug: freshSlug() }, them);
  const monitors = [{ monitorId: fixture.addMonitor(other) }];
  const entries = [group('Core', [{ name: 'API', monitors }])];
  await rpc.replaceStructure({ id: statusPage?.id ?? '', entries }, them);
  for (const table of ['status_page', 'component_group', 'component', 'component_monitor']) {
    const sql = `select distinct organization_id from ${table}`;
    const seenBy = (scope: string) => fixture.tables.transaction({ organizationId: scope }, (tx) => tx.query(sql));
    expect(await seenBy(other)).toEqual([{ organization_id: other }]);
    expect(await seenBy(v7())).toEqual([]);
    const stolen = fixture.tables.transaction({ organizationId }, (tx) =>
      tx.query(`update ${table} set organization_id = $1 where organization_id = $2 returning 1`, [
        organizationId,
        other,
      ]),
    );
    expect(await stolen).toEqual([]);
  }
});

test('a page accepts at most 500 components, in a structure or one by one', async () => {
  const id = await createPage();
  const many = (count: number) => Array.from({ length: count }, (_, index) => component({ name: `C${index}` }));
  await expect(replace(id, many(501))).rejects.toMatchObject({
    fields: { components: ['must be at most 500 on a page, and would be 501'] },
  });
  expect(await replace(id, many(500))).toHaveLength(500);
  const create = fixture.components.createComponent({ statusPageId: id, name: 'One more' }, us);
  await expect(create).rejects.toMatchObject({
    fields: { components: ['must be at most 500 on a page, and would be 501'] },
  });
});

test('a page accepts at most 2,000 links to monitors, in a structure or one by one', async () => {
  const id = await createPage();
  const monitors = Array.from({ length: 101 }, () => ({ monitorId: fixture.addMonitor(organizationId) }));
  const hundred = monitors.slice(1);
  const full = Array.from({ length: 20 }, (_, index) => component({ name: `C${index}`, monitors: hundred }));
  const refusal = (field: string, count: number) => ({
    fields: { [field]: [`a page has at most 2000 links to monitors, and this page would have ${count}`] },
  });
  const tooMany = [...full, component({ name: 'One more', monitors: monitors.slice(0, 1) })];
  await expect(replace(id, tooMany)).rejects.toMatchObject(refusal('components', 2001));
  const [first] = Object.values(componentsByName(await replace(id, full)));
  const own = { statusPageId: id, id: first?.id ?? '' };
  const create = fixture.components.createComponent(
    { statusPageId: id, name: 'One more', monitors: monitors.slice(0, 1) },
    us,
  );
  await expect(create).rejects.toMatchObject(refusal('monitors', 2001));
  const link = (links: typeof monitors) => fixture.components.updateComponent({ ...own, monitors: { links } }, us);
  await expect(link(monitors)).rejects.toMatchObject(refusal('monitors', 2001));

  // Pages from before the limit was introduced can have more links.
  await fixture.tables.transaction({ organizationId }, (tx) =>
    tx.query(
      `insert into component_monitor (organization_id, component_id, monitor_id, position, down_status)
       select $1, $2, gen_random_uuid(), number, 'major_outage' from generate_series(101, 200) as number`,
      [organizationId, own.id],
    ),
  );
  const read = async () => (await fixture.components.getComponent(own, us)).component;
  expect((await read())?.monitors).toHaveLength(200);
  await fixture.components.updateComponent({ ...own, name: 'Renamed' }, us);
  expect(await read()).toMatchObject({ name: 'Renamed', monitors: { length: 200 } });
  const { component: other } = await fixture.components.createComponent({ statusPageId: id, name: 'New' }, us);
  const more = { statusPageId: id, id: other?.id ?? '', monitors: { links: monitors.slice(0, 1) } };
  await expect(fixture.components.updateComponent(more, us)).rejects.toMatchObject(refusal('monitors', 2101));
  await link(monitors);
  expect((await read())?.monitors).toHaveLength(101);
  expect(await replace(id, full)).toHaveLength(20);
});

test('a page accepts at most 500 groups', async () => {
  const id = await createPage();
  const many = (count: number) => Array.from({ length: count }, (_, index) => group(`G${index}`, []));
  await expect(replace(id, many(501))).rejects.toMatchObject({
    fields: { components: ['must be in at most 500 groups on a page, and would be in 501'] },
  });
  expect(await replace(id, many(500))).toHaveLength(500);
});
