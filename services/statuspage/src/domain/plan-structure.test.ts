import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyPlan,
  isEmptyPlan,
  type StructurePlan,
  type WantedComponent,
  type WantedEntry,
} from './plan-structure.ts';
import { api, core, none, type Placed, page, plan, spelled } from './structure-fixture.ts';

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
