import { ServiceError } from '@tocsin/errors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyPlan,
  isEmptyPlan,
  planStructure,
  type StructurePlan,
  type WantedComponent,
  type WantedEntry,
} from './plan-structure.ts';
import { MAX_LINKS, type PlacedComponent, type PlacedGroup } from './tree.ts';

interface Placed {
  groups: PlacedGroup[];
  components: PlacedComponent[];
}

const none: Placed = { groups: [], components: [] };
const api: WantedComponent = { id: undefined, name: 'API', description: undefined, monitors: [], startDate: undefined };
const core = { kind: 'group' as const, id: undefined, name: 'Core', defaultOpen: undefined };

const ids = numbers();

function* numbers(): Generator<number, never> {
  for (let number = 1; ; number += 1) yield number;
}

function plan(current: Placed, wanted: readonly WantedEntry[]): StructurePlan {
  const newId = () => `new-${ids.next().value}`;
  return planStructure(current, wanted, { isMonitor: (id) => id.startsWith('monitor'), newId });
}

function fieldsOf(current: Placed, wanted: readonly WantedEntry[]) {
  try {
    plan(current, wanted);
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
  return {};
}

/** Returns the structure that is stored after a plan has been written. */
function applied(current: Placed, { groups, components, relinked }: StructurePlan): Placed {
  const after = <Item extends { id: string }>(
    items: readonly Item[],
    changes: { create: readonly Item[]; update: readonly Item[]; delete: readonly string[] },
  ) =>
    new Map(
      [...items, ...changes.update, ...changes.create]
        .filter(({ id }) => !changes.delete.includes(id))
        .map((item) => [item.id, item]),
    );
  const links = new Map([...current.components, ...relinked].map(({ id, monitors }) => [id, monitors]));
  return {
    groups: [...after(current.groups, groups).values()],
    components: [...after(current.components, components).values()].map((component) => ({
      ...component,
      monitors: links.get(component.id) ?? [],
    })),
  };
}

/** Returns a structure as a request that contains the ids of all entries. */
function spelled({ groups, components }: Placed): WantedEntry[] {
  const input = ({ id, name, description, monitors, startDate }: PlacedComponent) => ({
    id,
    name,
    description,
    monitors,
    startDate,
  });
  const inside = (groupId: string | undefined) =>
    components.filter((component) => component.groupId === groupId).sort((a, b) => a.position - b.position);
  const entries = [
    ...groups.map(({ id, name, position, defaultOpen }) => ({
      position,
      entry: { kind: 'group' as const, id, name, defaultOpen, components: inside(id).map(input) },
    })),
    ...inside(undefined).map((component) => ({
      position: component.position,
      entry: { kind: 'component' as const, ...input(component) },
    })),
  ];
  return entries.sort((a, b) => a.position - b.position).map(({ entry }) => entry);
}

const name = fc.constantFrom('API', 'Website', 'Database', 'Mail', '<script>');
const links = fc.uniqueArray(
  fc.record({
    monitorId: fc.constantFrom('monitor-1', 'monitor-2', 'monitor-3'),
    downStatus: fc.constantFrom('partial_outage' as const, 'major_outage' as const),
  }),
  { selector: ({ monitorId }) => monitorId },
);
const component = fc.record({
  name,
  description: fc.option(name, { nil: undefined }),
  monitors: links,
  startDate: fc.constantFrom(undefined, '2026-01-01', '2026-02-01'),
});
/**
 * A random structure. It contains the names and settings of the groups, and each component with the index of its group.
 * If the index does not exist, the component has no group.
 */
const layout = fc.record({
  groups: fc.array(fc.record({ name, defaultOpen: fc.constantFrom(undefined, false, true) }), { maxLength: 4 }),
  components: fc.array(
    fc.record({ group: fc.nat({ max: 5 }), input: component, isNew: fc.boolean(), first: fc.boolean() }),
    { maxLength: 12 },
  ),
});
type Layout = typeof layout extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns a request for a random structure. As many entries as possible have ids from the page. */
function wantedFrom({ groups, components }: Layout, current: Placed): WantedEntry[] {
  const groupIds = current.groups.map(({ id }) => id);
  const componentIds = current.components.map(({ id }) => id);
  const entries: WantedEntry[] = [];
  const homes = groups.map((group) => {
    const inside: WantedComponent[] = [];
    entries.push({ kind: 'group', id: groupIds.pop(), ...group, components: inside });
    return inside;
  });
  for (const { group, input, isNew, first } of components) {
    const made = { id: isNew ? undefined : componentIds.pop(), ...input };
    const home = homes[group];
    if (home) home.push(made);
    else if (first) entries.unshift({ kind: 'component', ...made });
    else entries.push({ kind: 'component', ...made });
  }
  return entries;
}

function idless(entries: readonly WantedEntry[]): unknown {
  return JSON.parse(JSON.stringify(entries, (key, value) => (key === 'id' ? undefined : value)));
}

test('property: the plan turns any page into exactly the requested one', () => {
  fc.assert(
    fc.property(layout, layout, (before, after) => {
      const current = applied(none, plan(none, wantedFrom(before, none)));
      const wanted = wantedFrom(after, current);
      const result = applied(current, plan(current, wanted));
      const tree = spelled(result);
      expect(idless(tree)).toEqual(idless(wanted));
      // Each id in the request is at the same position in the result.
      expect(tree).toMatchObject(JSON.parse(JSON.stringify(wanted)));
    }),
  );
});

test('property: siblings are numbered 0…n-1, and a repeated request changes nothing', () => {
  fc.assert(
    fc.property(layout, (wanted) => {
      const current = applied(none, plan(none, wantedFrom(wanted, none)));
      const topLevel = [...current.groups, ...current.components.filter(({ groupId }) => groupId === undefined)];
      const families = [
        topLevel,
        ...current.groups.map(({ id }) => current.components.filter((c) => c.groupId === id)),
      ];
      for (const siblings of families) {
        const positions = siblings.map(({ position }) => position).sort((a, b) => a - b);
        expect(positions).toEqual(siblings.map((_, index) => index));
      }
      const again = plan(current, spelled(current));
      expect(isEmptyPlan(again)).toBe(true);
      expect(again.relinked).toEqual([]);
      // Clients such as curl and CI scripts send structures without ids.
      const withoutIds = plan(current, unnamed(spelled(current)));
      expect(isEmptyPlan(withoutIds)).toBe(true);
      expect(withoutIds.relinked).toEqual([]);
    }),
  );
});

/** Returns the same entries without ids. */
function unnamed(entries: readonly WantedEntry[]): WantedEntry[] {
  return entries.map((entry) => {
    if (entry.kind === 'unknown') return entry;
    if (entry.kind === 'component') return { ...entry, id: undefined };
    return { ...entry, id: undefined, components: entry.components.map((one) => ({ ...one, id: undefined })) };
  });
}

const page: Placed = {
  groups: [{ id: 'group-1', name: 'Core', position: 0, defaultOpen: undefined }],
  components: [
    {
      id: 'component-1',
      groupId: 'group-1',
      name: 'API',
      description: undefined,
      position: 0,
      monitors: [{ monitorId: 'monitor-1', downStatus: 'major_outage' }],
      startDate: undefined,
    },
    { ...api, id: 'component-2', groupId: undefined, name: 'Website', position: 1 },
  ],
};

test('a component that is moved out of a deleted group keeps its id and links', () => {
  const [component1] = page.components;
  const { groups, components, relinked } = plan(page, [
    { ...api, kind: 'component', id: 'component-1', monitors: component1?.monitors ?? [] },
  ]);
  expect(groups).toEqual({ create: [], update: [], delete: ['group-1'] });
  expect(components).toEqual({
    create: [],
    update: [{ ...component1, groupId: undefined, position: 0 }],
    delete: ['component-2'],
  });
  expect(relinked).toEqual([]);
});

test.each<[string, object, boolean]>([
  ['the same name and monitors', {}, true],
  ['another description', { description: 'Public' }, true],
  ['another start date', { startDate: '2026-01-01' }, true],
  ['another name', { name: 'API v2' }, false],
  ['another down_status', { monitors: [{ monitorId: 'monitor-1', downStatus: 'partial_outage' }] }, false],
  ['no monitors', { monitors: [] }, false],
])('a component without an id and with %s %j is matched to the existing component: %s', (_, changes, keeps) => {
  const [component1] = page.components;
  const input = { ...api, monitors: component1?.monitors ?? [], ...changes };
  const { components } = plan(page, [
    { ...core, components: [input] },
    { ...api, kind: 'component', name: 'Website' },
  ]);
  expect(components.delete).toEqual(keeps ? [] : ['component-1']);
  expect(components.create).toHaveLength(keeps ? 0 : 1);
});

test('an entry with an id keeps the id, even if an equal entry without an id precedes it', () => {
  const { components } = plan(page, [
    { ...api, kind: 'component', name: 'Website' },
    { ...api, kind: 'component', id: 'component-2', name: 'Website' },
  ]);
  expect(components.create.map(({ position }) => position)).toEqual([0]);
  expect(components.delete).toEqual(['component-1']);
});

test('an empty structure deletes all entries', () => {
  const { groups, components } = plan(page, []);
  expect(groups.delete).toEqual(['group-1']);
  expect(components.delete).toEqual(['component-1', 'component-2']);
});

test("a component's new start date and a group's new defaultOpen count as changes", () => {
  const changed = spelled(page).map((entry) => {
    if (entry.kind === 'group') return { ...entry, defaultOpen: false };
    return { ...entry, startDate: '2026-01-01' };
  });
  const { groups, components, relinked } = plan(page, changed);
  expect(groups.update).toMatchObject([{ id: 'group-1', defaultOpen: false }]);
  expect(components.update).toMatchObject([{ id: 'component-2', startDate: '2026-01-01' }]);
  expect(relinked).toEqual([]);
});

test('a component with changed links counts as changed', () => {
  const monitors = [{ monitorId: 'monitor-1', downStatus: 'partial_outage' as const }];
  const entries = spelled(page).map((entry) =>
    entry.kind === 'group' ? { ...entry, components: entry.components.map((c) => ({ ...c, monitors })) } : entry,
  );
  const { components, relinked } = plan(page, entries);
  expect(components.update.map(({ id }) => id)).toEqual(['component-1']);
  expect(relinked.map(({ id }) => id)).toEqual(['component-1']);
});

const inGroup = (input: Partial<WantedComponent>): WantedEntry[] => [
  { ...core, components: [api, { ...api, ...input }] },
];
const link = (monitorId: string) => ({ monitorId, downStatus: 'major_outage' as const });

test.each<[string, WantedEntry[], string, string]>([
  [
    'an unknown component id',
    [{ ...api, kind: 'component', id: 'x' }],
    'components.0.id',
    'is not a component of this page',
  ],
  ['an unknown group id', [{ ...core, id: 'x', components: [] }], 'components.0.id', 'is not a group of this page'],
  [
    'a component with the id of a group',
    inGroup({ id: 'group-1' }),
    'components.0.components.1.id',
    'is not a component of this page',
  ],
  [
    'a repeated id',
    [{ ...api, kind: 'component', id: 'component-1' }, ...inGroup({ id: 'component-1' })],
    'components.1.components.1.id',
    'appears twice',
  ],
  ['a missing name', inGroup({ name: '' }), 'components.0.components.1.name', 'is required'],
  [
    'a long name',
    inGroup({ name: 'x'.repeat(256) }),
    'components.0.components.1.name',
    'must be at most 255 characters',
  ],
  [
    'a long description',
    [{ ...api, kind: 'component', description: 'x'.repeat(1001) }],
    'components.0.description',
    'must be at most 1000 characters',
  ],
  ['a group without a name', [{ ...core, name: '', components: [] }], 'components.0.name', 'is required'],
  ['an entry without a group or component', [{ kind: 'unknown' }], 'components.0.type', 'must be group or component'],
  [
    'an unknown monitor',
    inGroup({ monitors: [link('monitor-1'), link('stranger')] }),
    'components.0.components.1.monitors.1.monitor_id',
    'is not a monitor of this organization',
  ],
  [
    'a repeated monitor',
    inGroup({ monitors: [link('monitor-1'), link('monitor-1')] }),
    'components.0.components.1.monitors.1.monitor_id',
    'appears twice',
  ],
  [
    'the down status operational',
    inGroup({ monitors: [{ monitorId: 'monitor-1', downStatus: 'operational' }] }),
    'components.0.components.1.monitors.0.down_status',
    'must be one of degraded_performance, partial_outage, major_outage',
  ],
])('the error about %s contains the path of the invalid field', (_, wanted, field, words) => {
  expect(fieldsOf(page, wanted)).toEqual({ [field]: [words] });
});

test('all errors in a structure are returned at once', () => {
  const wanted: WantedEntry[] = [{ kind: 'unknown' }, ...inGroup({ name: '', id: 'x' })];
  expect(Object.keys(fieldsOf(page, wanted))).toEqual([
    'components.0.type',
    'components.1.components.1.id',
    'components.1.components.1.name',
  ]);
});

test('a structure has at most 2,000 links to monitors, unless the page has as many already', () => {
  const linked = (count: number): WantedEntry[] => {
    const monitors = (length: number) => Array.from({ length }, (_, index) => link(`monitor-${index}`));
    return [
      { ...core, components: [{ ...api, monitors: monitors(10) }] },
      { ...api, kind: 'component', name: 'Website', monitors: monitors(count - 10) },
    ];
  };
  const tooMany = (count: number) => ({
    components: [`a page has at most ${MAX_LINKS} links to monitors, and this page would have ${count}`],
  });
  expect(fieldsOf(page, linked(MAX_LINKS))).toEqual({});
  expect(fieldsOf(page, linked(MAX_LINKS + 1))).toEqual(tooMany(MAX_LINKS + 1));

  const full: Placed = {
    ...page,
    components: page.components.map((one) => ({
      ...one,
      monitors: Array.from({ length: MAX_LINKS }, (_, index) => link(`monitor-${index}`)),
    })),
  };
  expect(fieldsOf(full, linked(2 * MAX_LINKS))).toEqual({});
  expect(fieldsOf(full, linked(2 * MAX_LINKS + 1))).toEqual(tooMany(2 * MAX_LINKS + 1));
});

test('names that were saved under older rules stay valid until they are changed', () => {
  const name = 'A\u202ePI';
  const old: Placed = {
    groups: page.groups.map((group) => ({ ...group, name })),
    components: page.components.map((component) => ({ ...component, name })),
  };
  const changed = spelled(old).map((entry) =>
    entry.kind === 'component' ? { ...entry, description: 'Another one' } : entry,
  );
  expect(fieldsOf(old, changed)).toEqual({});
  expect(fieldsOf(old, [{ ...core, id: 'group-1', name: `${name}!`, components: [] }])).toEqual({
    'components.0.name': ['must not contain control characters'],
  });
  expect(fieldsOf(old, [{ ...api, kind: 'component', id: 'component-1', name: `${name}!` }])).toEqual({
    'components.0.name': ['must not contain control characters'],
  });
  expect(fieldsOf(none, [{ ...api, kind: 'component', name }])).toEqual({
    'components.0.name': ['must not contain control characters'],
  });
});

test('an applied plan keeps the status and the creation of updated entries, and created ones are operational', () => {
  const [before, at] = [new Date('2026-11-20T10:00:00Z'), new Date('2026-11-27T10:00:00Z')];
  const times = { createdAt: before, updatedAt: before };
  const stored = (id: string, position: number) => ({
    ...{ ...api, id, name: id, groupId: undefined, position, ...times },
    ...{ status: 'major_outage' as const, statusChangedAt: before },
  });
  const group = { id: 'group', name: 'Core', position: 2, defaultOpen: undefined, ...times };
  const current = { groups: [group], components: [stored('same', 0), stored('changed', 1), stored('gone', 3)] };
  const wanted = [
    { kind: 'component' as const, ...api, id: 'same', name: 'same' },
    { kind: 'component' as const, ...api, id: 'changed', name: 'renamed' },
    { ...core, components: [{ ...api, name: 'new' }] },
  ];
  const { groups, components } = applyPlan(current, plan(current, wanted), at);
  expect(groups).toEqual([group]);
  expect(components).toEqual([
    stored('same', 0),
    { ...stored('changed', 1), name: 'renamed', updatedAt: at },
    {
      ...{ ...api, id: expect.stringContaining('new-'), name: 'new', groupId: 'group', position: 0 },
      ...{ status: 'operational', statusChangedAt: at, createdAt: at, updatedAt: at },
    },
  ]);
});
