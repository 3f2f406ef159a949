import { expect, test } from 'vitest';
import { addComponent, changeComponent, deleteComponent } from './edit-components.ts';
import { addGroup, changeGroup, deleteGroup } from './edit-groups.ts';
import { MAX_LINKS, type Placed } from './tree.ts';

const link = { monitorId: 'monitor-1', downStatus: 'major_outage' as const };
const api = {
  id: 'api',
  groupId: 'core',
  name: 'API',
  description: 'REST',
  position: 0,
  monitors: [link],
  startDate: undefined,
};
const page: Placed = { groups: [{ id: 'core', name: 'Core', position: 0, defaultOpen: undefined }], components: [api] };
const isMonitor = (id: string) => id === 'monitor-2';

function change(changes: Parameters<typeof changeComponent>[2]) {
  return changeComponent(page, 'api', changes, isMonitor);
}

test.each([
  [{ name: '' }, { name: ['is required'] }],
  [{ name: 'x'.repeat(256) }, { name: ['must be at most 255 characters'] }],
  [{ name: 'a\nb' }, { name: ['must not contain control characters'] }],
  [{ description: 'x'.repeat(1001) }, { description: ['must be at most 1000 characters'] }],
  [{ position: -1 }, { position: ['must be at least 0'] }],
  [{ startDate: '' }, { start_date: ['must be a date such as 2026-11-20'] }],
  [{ startDate: '2026-02-29' }, { start_date: ['must be a date such as 2026-11-20'] }],
  [{ startDate: '2026-13-01' }, { start_date: ['must be a date such as 2026-11-20'] }],
  [{ startDate: '2026-11-20T00:00:00Z' }, { start_date: ['must be a date such as 2026-11-20'] }],
  [{ groupId: 'elsewhere' }, { component_group_id: ['is not a group of this page'] }],
  [{ groupId: 'api' }, { component_group_id: ['is not a group of this page'] }],
  [{ monitors: [link] }, { 'monitors.0.monitor_id': ['is not a monitor of this organization'] }],
  [
    { monitors: [{ monitorId: 'monitor-2', downStatus: 'operational' as const }] },
    { 'monitors.0.down_status': ['must be one of degraded_performance, partial_outage, major_outage'] },
  ],
  [
    { name: '', position: -1, groupId: 'x' },
    {
      name: ['is required'],
      position: ['must be at least 0'],
      component_group_id: ['is not a group of this page'],
    },
  ],
])('a new or changed component with %j is refused', (wrong, fields) => {
  const refusal = expect.objectContaining({ kind: 'invalid', fields });
  const fine = { name: 'Web', description: undefined, groupId: undefined, monitors: [], startDate: undefined };
  expect(() => change(wrong)).toThrow(refusal);
  expect(() => addComponent(page, 'new', { ...fine, ...wrong }, isMonitor)).toThrow(refusal);
});

test.each([
  [{ name: '' }, { name: ['is required'] }],
  [
    { name: 'x'.repeat(256), position: -1 },
    { name: ['must be at most 255 characters'], position: ['must be at least 0'] },
  ],
])('a new or changed group with %j is refused', (wrong, fields) => {
  const refusal = expect.objectContaining({ kind: 'invalid', fields });
  expect(() => changeGroup(page, 'core', wrong)).toThrow(refusal);
  expect(() => addGroup(page, 'new', wrong)).toThrow(refusal);
});

const links = (length: number) => Array.from({ length }, (_, index) => ({ ...link, monitorId: `monitor-${index}` }));

/** Returns a page with a component `api` with `ofApi` links, and another component with `ofOthers` links. */
function linked(ofApi: number, ofOthers: number): Placed {
  const rest = { ...api, id: 'rest', name: 'Rest', position: 1, monitors: links(ofOthers) };
  return { ...page, components: [{ ...api, monitors: links(ofApi) }, rest] };
}

const tooMany = (count: number) =>
  expect.objectContaining({
    kind: 'invalid',
    fields: { monitors: [`a page has at most ${MAX_LINKS} links to monitors, and this page would have ${count}`] },
  });

test('a page accepts components with at most 2,000 links to monitors in total', () => {
  const most = links(MAX_LINKS - 10);
  const extra = { ...link, monitorId: 'extra' };
  const changed = (monitors: typeof most) => changeComponent(linked(3, 10), 'api', { monitors }, () => true);
  expect(changed(most).components.find(({ id }) => id === 'api')?.monitors).toEqual(most);
  expect(() => changed([...most, extra])).toThrow(tooMany(MAX_LINKS + 1));

  const fine = { name: 'Web', description: undefined, groupId: undefined, startDate: undefined };
  const added = (monitors: typeof most) => addComponent(linked(3, 7), 'new', { ...fine, monitors }, () => true);
  expect(added(most).components.find(({ id }) => id === 'new')?.monitors).toEqual(most);
  expect(() => added([...most, extra])).toThrow(tooMany(MAX_LINKS + 1));
});

test('a page with more links than the limit accepts changes that add no links', () => {
  const full = linked(3, MAX_LINKS);
  const changed = (changes: Parameters<typeof changeComponent>[2]) => () =>
    changeComponent(full, 'api', changes, () => true);
  expect(changed({ name: 'New' })).not.toThrow();
  expect(changed({ monitors: links(2) })).not.toThrow();
  expect(changed({ monitors: links(4).slice(1) })).not.toThrow();
  expect(changed({ monitors: links(4) })).toThrow(tooMany(MAX_LINKS + 4));
  const fine = { name: 'Web', description: undefined, groupId: undefined, startDate: undefined };
  expect(() => addComponent(full, 'new', { ...fine, monitors: [] }, () => true)).not.toThrow();
});

test('a change without the field `monitors` preserves all links, even a link to a deleted monitor', () => {
  expect(change({ name: 'New' }).components).toEqual([{ ...api, name: 'New' }]);
});

test('a change to a component clears fields that are undefined, and replaces all links', () => {
  const monitors = [{ monitorId: 'monitor-2', downStatus: 'partial_outage' as const }];
  expect(change({ description: undefined, groupId: undefined, monitors }).components).toEqual([
    { ...api, description: undefined, groupId: undefined, monitors, position: 1 },
  ]);
});

test("a component's start date and a group's defaultOpen can be set and cleared, and other changes do not affect them", () => {
  const [dated] = change({ startDate: '2024-02-29' }).components;
  expect(dated).toEqual({ ...api, startDate: '2024-02-29' });
  const later = { ...page, components: dated ? [dated] : [] };
  expect(changeComponent(later, 'api', { name: 'New' }, isMonitor).components).toMatchObject([
    { startDate: '2024-02-29' },
  ]);
  expect(changeComponent(later, 'api', { startDate: undefined }, isMonitor).components).toEqual([api]);

  const closed = changeGroup(page, 'core', { defaultOpen: false });
  expect(closed.groups).toMatchObject([{ defaultOpen: false }]);
  expect(changeGroup(closed, 'core', { name: 'New' }).groups).toMatchObject([{ name: 'New', defaultOpen: false }]);
  expect(changeGroup(closed, 'core', { defaultOpen: undefined }).groups).toEqual(page.groups);
  expect(addGroup(page, 'new', { name: 'Open', defaultOpen: true }).groups[1]).toMatchObject({ defaultOpen: true });
});

test.each<[string, () => unknown]>([
  ['component', () => changeComponent(page, 'core', { name: '' }, isMonitor)],
  ['component', () => deleteComponent(page, 'core')],
  ['component group', () => changeGroup(page, 'api', { name: '' })],
  ['component group', () => deleteGroup(page, 'api')],
])('editing a %s that is not on the page fails with `not_found`', (what, edit) => {
  expect(edit).toThrow(expect.objectContaining({ kind: 'not_found', message: `${what} not found` }));
});

test('names that were saved under older rules stay valid until they are changed', () => {
  const name = 'A\u202ePI';
  const old: Placed = {
    groups: page.groups.map((group) => ({ ...group, name })),
    components: [{ ...api, name }],
  };
  const refusal = expect.objectContaining({ fields: { name: ['must not contain control characters'] } });
  expect(changeComponent(old, 'api', { name, description: 'GraphQL' }, isMonitor).components).toMatchObject([
    { name, description: 'GraphQL' },
  ]);
  expect(() => changeComponent(old, 'api', { name: `${name}!` }, isMonitor)).toThrow(refusal);
  expect(changeGroup(old, 'core', { name, defaultOpen: true }).groups).toMatchObject([{ name, defaultOpen: true }]);
  expect(() => changeGroup(old, 'core', { name: `${name}!` })).toThrow(refusal);
});
