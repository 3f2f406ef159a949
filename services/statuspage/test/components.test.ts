import { fromBinary } from '@bufbuild/protobuf';
import { jetstream } from '@nats-io/jetstream';
import { EVENT_STREAM, eventSubject } from '@tocsin/outbox';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { ComponentDeletedSchema } from '@tocsin/proto/statuspage/v1/events';
import type { Entry } from '@tocsin/proto/statuspage/v1/statuspage';
import { manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { component, componentsByName, freshSlug, group, outline, statusPageFixture } from './statuspage-fixture.ts';

const clock = manualClock();
const fixture = await statusPageFixture({ now: clock.now });
const { rpc, components } = fixture;
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

/** Creates a page. By default it has a component A, a group X with B and C, a component D, and an empty group Y. */
async function aPage(
  entries = [
    component({ name: 'A' }),
    group('X', [{ name: 'B' }, { name: 'C' }]),
    component({ name: 'D' }),
    group('Y', []),
  ],
) {
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug: freshSlug() }, us);
  const statusPageId = statusPage?.id ?? '';
  const tree = (await rpc.replaceStructure({ id: statusPageId, entries }, us)).statusPage?.entries ?? [];
  const groups = Object.fromEntries(
    tree.flatMap(({ entry }) => (entry.case === 'group' ? [[entry.value.name, entry.value.id]] : [])),
  );
  const byName = componentsByName(tree);
  return {
    statusPageId,
    slug: statusPage?.slug ?? '',
    idOf: (name: string) => byName[name]?.id ?? groups[name] ?? '',
    entries: async () => (await rpc.getStatusPage({ id: statusPageId }, us)).statusPage?.entries ?? [],
    outline: async () => outline((await rpc.getStatusPage({ id: statusPageId }, us)).statusPage?.entries),
  };
}

/** Returns the ids of deleted components that were published, up to and including `last`. */
async function deletedUntil(last: string): Promise<string[]> {
  const subject = eventSubject(ComponentDeletedSchema.typeName);
  const consumer = await jetstream(fixture.nats).consumers.get(EVENT_STREAM, { filter_subjects: subject });
  const heard: string[] = [];
  for await (const message of await consumer.consume()) {
    heard.push(fromBinary(ComponentDeletedSchema, message.data).componentId);
    if (heard.includes(last)) break;
  }
  return heard;
}

function expectDense(entries: readonly Entry[]): void {
  expect(entries.map(({ entry }) => entry.value?.position)).toEqual(entries.map((_, index) => index));
  for (const { entry } of entries) {
    if (entry.case !== 'group') continue;
    expect(entry.value.components.map(({ position }) => position)).toEqual(
      entry.value.components.map((_, index) => index),
    );
  }
}

test('a new component needs only a name and is last on the page', async () => {
  const page = await aPage();
  const { statusPageId } = page;
  const { component: made } = await components.createComponent({ statusPageId, name: 'New' }, us);
  expect(made).toMatchObject({ name: 'New', position: 4, monitors: [], status: ComponentStatus.OPERATIONAL });
  expect(made?.description).toBeUndefined();
  expect(made?.componentGroupId).toBeUndefined();
  expect(await page.outline()).toEqual(['A', { X: ['B', 'C'] }, 'D', { Y: [] }, 'New']);
  expect((await components.getComponent({ statusPageId, id: made?.id.toUpperCase() ?? '' }, us)).component).toEqual(
    made,
  );
});

test('a new component gets the requested position and settings', async () => {
  const page = await aPage();
  const monitors = [
    { monitorId: fixture.addMonitor(organizationId), downStatus: ComponentStatus.PARTIAL_OUTAGE },
    { monitorId: fixture.addMonitor(organizationId), downStatus: ComponentStatus.MAJOR_OUTAGE },
  ];
  const input = { name: 'New', description: 'Fresh', componentGroupId: page.idOf('X').toUpperCase(), position: 1 };
  const { component: made } = await components.createComponent(
    { statusPageId: page.statusPageId, ...input, monitors },
    us,
  );
  expect(made).toMatchObject({ ...input, componentGroupId: page.idOf('X'), monitors });
  expect(await page.outline()).toEqual(['A', { X: ['B', 'New', 'C'] }, 'D', { Y: [] }]);
  expectDense(await page.entries());
});

test('a change affects only the fields that were sent', async () => {
  const page = await aPage();
  const [one, two] = [
    { monitorId: fixture.addMonitor(organizationId) },
    { monitorId: fixture.addMonitor(organizationId) },
  ];
  const key = { statusPageId: page.statusPageId, id: page.idOf('B') };
  await components.updateComponent({ ...key, description: { value: 'Old' }, monitors: { links: [one, two] } }, us);
  clock.advance(60_000);
  const { component: renamed } = await components.updateComponent({ ...key, name: 'New name' }, us);
  expect(renamed).toMatchObject({ name: 'New name', description: 'Old', position: 0, monitors: [one, two] });
  expect(renamed?.updatedAt).not.toEqual(renamed?.createdAt);
  const { component: cleared } = await components.updateComponent({ ...key, description: {}, monitors: {} }, us);
  expect(cleared).toMatchObject({ name: 'New name', componentGroupId: page.idOf('X'), monitors: [] });
  expect(cleared?.description).toBeUndefined();
});

test('a component keeps its id when it moves', async () => {
  const page = await aPage();
  const { statusPageId, idOf } = page;
  const move = async (name: string, to: { componentGroupId?: { value?: string }; position?: number }) => {
    const { component: moved } = await components.updateComponent({ statusPageId, id: idOf(name), ...to }, us);
    expect(moved).toMatchObject({ id: idOf(name), name });
    expectDense(await page.entries());
    return page.outline();
  };
  expect(await move('B', { componentGroupId: { value: idOf('Y') } })).toEqual(['A', { X: ['C'] }, 'D', { Y: ['B'] }]);
  expect(await move('D', { position: 0 })).toEqual(['D', 'A', { X: ['C'] }, { Y: ['B'] }]);
  expect(await move('C', { componentGroupId: {} })).toEqual(['D', 'A', { X: [] }, { Y: ['B'] }, 'C']);
  expect(await move('B', { componentGroupId: {}, position: 1 })).toEqual(['D', 'B', 'A', { X: [] }, { Y: [] }, 'C']);
  expect(await move('D', { position: 1_000 })).toEqual(['B', 'A', { X: [] }, { Y: [] }, 'C', 'D']);
});

test('groups are created, renamed, moved and deleted, and their components stay on the page', async () => {
  const page = await aPage();
  const { statusPageId } = page;
  const { group: made } = await components.createGroup({ statusPageId, name: 'Z', position: 0 }, us);
  expect(made).toMatchObject({ name: 'Z', position: 0, components: [] });
  const id = page.idOf('X');
  const { group: changed } = await components.updateGroup({ statusPageId, id, name: 'New X', position: 99 }, us);
  expect(changed).toMatchObject({ name: 'New X', position: 4, components: [{ name: 'B' }, { name: 'C' }] });
  expect((await components.getGroup({ statusPageId, id }, us)).group).toEqual(changed);
  expect(await page.outline()).toEqual([{ Z: [] }, 'A', 'D', { Y: [] }, { 'New X': ['B', 'C'] }]);

  await components.updateGroup({ statusPageId, id, position: 1 }, us);
  await components.deleteGroup({ statusPageId, id }, us);
  expect(await page.outline()).toEqual([{ Z: [] }, 'B', 'C', 'A', 'D', { Y: [] }]);
  expectDense(await page.entries());
  expect(componentsByName(await page.entries()).B?.id).toBe(page.idOf('B'));
});

test('deleting a component publishes an event, and leaves no gap between the positions of its siblings', async () => {
  const page = await aPage();
  const { statusPageId } = page;
  await components.deleteComponent({ statusPageId, id: page.idOf('A') }, us);
  await components.deleteComponent({ statusPageId, id: page.idOf('B') }, us);
  expect(await page.outline()).toEqual([{ X: ['C'] }, 'D', { Y: [] }]);
  expectDense(await page.entries());
  expect(await deletedUntil(page.idOf('B'))).toEqual(expect.arrayContaining([page.idOf('A')]));
});

test('an update with the current values does not change updated_at', async () => {
  const page = await aPage();
  const before = (await rpc.getStatusPage({ id: page.statusPageId }, us)).statusPage;
  clock.advance(60_000);
  const { statusPageId, idOf } = page;
  await components.updateComponent({ statusPageId, id: idOf('C'), name: 'C', position: 1 }, us);
  await components.updateGroup({ statusPageId, id: idOf('X'), name: 'X', position: 1 }, us);
  expect((await rpc.getStatusPage({ id: statusPageId }, us)).statusPage).toEqual(before);
});

test('an invalid request returns all errors at once, and changes nothing', async () => {
  const page = await aPage();
  const other = await aPage();
  const stranger = { monitorId: fixture.addMonitor(v7()) };
  const before = await page.outline();
  const fields = {
    name: ['is required'],
    position: ['must be at least 0'],
    component_group_id: ['is not a group of this page'],
    'monitors.0.monitor_id': ['is not a monitor of this organization'],
    'monitors.1.monitor_id': ['is not a monitor of this organization'],
  };
  const { statusPageId } = page;
  const monitors = [stranger, { monitorId: 'nonsense' }];
  const wrong = { statusPageId, name: '', position: -1 };
  for (const groupId of [other.idOf('X'), v7(), 'nonsense', '']) {
    const creating = components.createComponent({ ...wrong, componentGroupId: groupId, monitors }, us);
    await expect(creating).rejects.toMatchObject({ kind: 'invalid', fields });
    const changes = { ...wrong, componentGroupId: { value: groupId }, monitors: { links: monitors } };
    const changing = components.updateComponent({ ...changes, id: page.idOf('A') }, us);
    await expect(changing).rejects.toMatchObject({ kind: 'invalid', fields });
  }
  const { name, position } = fields;
  await expect(components.createGroup(wrong, us)).rejects.toMatchObject({ fields: { name, position } });
  await expect(components.updateGroup({ ...wrong, id: page.idOf('X') }, us)).rejects.toMatchObject({
    fields: { name, position },
  });
  expect(await page.outline()).toEqual(before);
});

test('concurrent changes on two replicas are all applied and leave no gap between positions', async () => {
  const page = await aPage();
  const { statusPageId, idOf } = page;
  const names = Array.from({ length: 12 }, (_, index) => `N${index}`);
  const at = (index: number) => (index % 2 === 0 ? components : fixture.componentsReplica);
  await Promise.all([
    ...names.map((name, index) => at(index).createComponent({ statusPageId, name, position: 0 }, us)),
    ...['A', 'B', 'C', 'D'].map((name, index) =>
      at(index).updateComponent({ statusPageId, id: idOf(name), componentGroupId: { value: idOf('Y') } }, us),
    ),
    components.deleteGroup({ statusPageId, id: idOf('X') }, us),
    fixture.componentsReplica.createGroup({ statusPageId, name: 'Z', position: 1 }, us),
  ]);
  const entries = await page.entries();
  expectDense(entries);
  expect(Object.keys(componentsByName(entries)).sort()).toEqual(['A', 'B', 'C', 'D', ...names].sort());
  expect(outline(entries)).toContainEqual({ Y: expect.arrayContaining(['A', 'B', 'C', 'D']) });
});

test('lists are sorted newest first, with and without paging', async () => {
  const page = await aPage([group('X', []), group('Y', [])]);
  const { statusPageId } = page;
  for (const name of ['A', 'B', 'C']) {
    await components.createComponent({ statusPageId, name, position: 0, componentGroupId: page.idOf('Y') }, us);
  }
  const whole = await components.listComponents({ statusPageId }, us);
  expect(whole.components.map(({ name }) => name)).toEqual(['C', 'B', 'A']);
  expect(whole.nextCursor).toBe('');
  const first = await components.listComponents({ statusPageId, limit: 2 }, us);
  const second = await components.listComponents({ statusPageId, limit: 2, cursor: first.nextCursor }, us);
  expect([...first.components, ...second.components]).toEqual(whole.components);
  expect(second.nextCursor).toBe('');

  const { groups, nextCursor } = await components.listGroups({ statusPageId, limit: 1 }, us);
  expect(groups).toMatchObject([{ name: 'Y', components: [{ name: 'C' }, { name: 'B' }, { name: 'A' }] }]);
  const rest = await components.listGroups({ statusPageId, cursor: nextCursor }, us);
  expect(rest).toMatchObject({ groups: [{ name: 'X' }], nextCursor: '' });

  const wrong = { fields: { limit: ['must be between 1 and 1000'], cursor: ['is not from the link to a next page'] } };
  const paging = { limit: 1001, cursor: 'x' };
  await expect(components.listComponents({ statusPageId, ...paging }, us)).rejects.toMatchObject(wrong);
  await expect(components.listGroups({ statusPageId, ...paging }, us)).rejects.toMatchObject(wrong);
  await expect(rpc.listStatusPages(paging, us)).rejects.toMatchObject(wrong);
});

test('deleting a page deletes its groups and components and releases its slug', async () => {
  const page = await aPage();
  const monitorId = fixture.addMonitor(organizationId);
  const { statusPageId, idOf, slug } = page;
  await components.updateComponent({ statusPageId, id: idOf('B'), monitors: { links: [{ monitorId }] } }, us);
  await rpc.deleteStatusPage({ id: statusPageId }, us);
  await expect(rpc.getStatusPage({ id: statusPageId }, us)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(rpc.deleteStatusPage({ id: statusPageId }, us)).rejects.toMatchObject({ kind: 'not_found' });
  expect((await rpc.listLinkedComponents({ monitorId }, us)).components).toEqual([]);
  for (const table of ['component_group', 'component']) {
    const sql = `select from ${table} where status_page_id = $1`;
    const rows = await fixture.tables.transaction('every organization', (tx) => tx.query(sql, [statusPageId]));
    expect(rows).toEqual([]);
  }
  const last = ['A', 'B', 'C', 'D'].map(idOf).sort().at(-1) ?? '';
  expect(await deletedUntil(last)).toEqual(expect.arrayContaining(['A', 'B', 'C', 'D'].map(idOf)));
  expect((await rpc.createStatusPage({ name: 'Next', slug }, us)).statusPage?.slug).toBe(slug);
});

test('every method reports not found for entries of another organization, entries of another page and unknown entries', async () => {
  const page = await aPage();
  const other = await aPage();
  const them = await fixture.as(v7());
  const before = await page.entries();
  const { statusPageId, idOf } = page;
  const calls: [
    string,
    'A' | 'X' | undefined,
    (key: { statusPageId: string; id: string }, as: typeof us) => unknown,
  ][] = [
    ['component', undefined, (key, as) => components.listComponents(key, as)],
    ['component', undefined, (key, as) => components.createComponent({ ...key, name: 'Mine' }, as)],
    ['component', 'A', (key, as) => components.getComponent(key, as)],
    ['component', 'A', (key, as) => components.updateComponent({ ...key, name: 'Mine' }, as)],
    ['component', 'A', (key, as) => components.deleteComponent(key, as)],
    ['component group', undefined, (key, as) => components.listGroups(key, as)],
    ['component group', undefined, (key, as) => components.createGroup({ ...key, name: 'Mine' }, as)],
    ['component group', 'X', (key, as) => components.getGroup(key, as)],
    ['component group', 'X', (key, as) => components.updateGroup({ ...key, name: 'Mine' }, as)],
    ['component group', 'X', (key, as) => components.deleteGroup(key, as)],
  ];
  for (const [what, name, call] of calls) {
    const id = name ? idOf(name) : '';
    const noPage = { kind: 'not_found', message: 'status page not found' };
    await expect(call({ statusPageId, id }, them)).rejects.toMatchObject(noPage);
    await expect(call({ statusPageId: v7(), id }, us)).rejects.toMatchObject(noPage);
    await expect(call({ statusPageId: 'nonsense', id }, us)).rejects.toMatchObject(noPage);
    if (!name) continue;
    const nothing = { kind: 'not_found', message: `${what} not found` };
    // These ids belong to another page or to the other kind of entry, are unknown, or are malformed.
    for (const wrong of [other.idOf(name), idOf(name === 'A' ? 'X' : 'A'), v7(), 'nonsense']) {
      await expect(call({ statusPageId, id: wrong }, us)).rejects.toMatchObject(nothing);
    }
  }
  await expect(rpc.deleteStatusPage({ id: statusPageId }, them)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(rpc.deleteStatusPage({ id: 'nonsense' }, us)).rejects.toMatchObject({ kind: 'not_found' });
  expect(await page.entries()).toEqual(before);
});
