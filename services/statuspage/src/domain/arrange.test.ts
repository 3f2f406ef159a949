import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LAST } from './arrange.ts';
import { addComponent, changeComponent, deleteComponent } from './edit-components.ts';
import { addGroup, changeGroup, deleteGroup } from './edit-groups.ts';
import { type Placed, treeOf } from './tree.ts';

const empty: Placed = { groups: [], components: [] };
const isMonitor = () => true;

type Step = (page: Placed, newId: string) => Placed;

/** Returns the item at an index modulo the length; undefined for an empty list. */
function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[at % items.length];
}

const place = fc.record({ group: fc.option(fc.nat()), position: fc.option(fc.nat({ max: 6 }), { nil: undefined }) });
type Place = typeof place extends fc.Arbitrary<infer Value> ? Value : never;

function placeOn(page: Placed, { group, position }: Place) {
  const groupId = group === null ? undefined : pick(page.groups, group)?.id;
  return { groupId, ...(position !== undefined && { position }) };
}

const addsComponent = place.map(
  (where): Step =>
    (page, id) =>
      addComponent(page, id, { ...plain(id), ...placeOn(page, where) }, isMonitor),
);
const movesComponent = fc.tuple(fc.nat(), place).map(
  ([which, where]): Step =>
    (page) => {
      const component = pick(page.components, which);
      return component ? changeComponent(page, component.id, placeOn(page, where), isMonitor) : page;
    },
);
const deletesComponent = fc.nat().map(
  (which): Step =>
    (page) => {
      const component = pick(page.components, which);
      return component ? deleteComponent(page, component.id) : page;
    },
);
const addsGroup = place.map(
  ({ position = LAST }): Step =>
    (page, id) =>
      addGroup(page, id, { name: id, position }),
);
const movesGroup = fc.tuple(fc.nat(), fc.nat({ max: 6 })).map(
  ([which, position]): Step =>
    (page) => {
      const group = pick(page.groups, which);
      return group ? changeGroup(page, group.id, { position }) : page;
    },
);
const deletesGroup = fc.nat().map(
  (which): Step =>
    (page) => {
      const group = pick(page.groups, which);
      return group ? deleteGroup(page, group.id) : page;
    },
);

const keeping = fc.oneof(addsComponent, movesComponent, addsGroup, movesGroup, deletesGroup);
const anything = fc.oneof(keeping, deletesComponent);

function after(steps: readonly Step[], page: Placed = empty): Placed {
  return steps.reduce((placed, step, index) => step(placed, `${index}`), page);
}

function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map(({ id }) => id).sort();
}

/** Renders the order of a page's entries. `A B(C D)` is a component A and a group B with the components C and D. */
function spelled(page: Placed): string {
  return treeOf(page)
    .map((entry) => {
      if (entry.kind === 'component') return entry.component.name;
      return `${entry.group.name}(${entry.components.map(({ name }) => name).join(' ')})`;
    })
    .join(' ');
}

test('property: siblings are always numbered 0…n-1, and every referenced group exists', () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 30 }), (steps) => {
      const { groups, components } = after(steps);
      const topLevel = [...groups, ...components.filter(({ groupId }) => groupId === undefined)];
      const families = [topLevel, ...groups.map(({ id }) => components.filter(({ groupId }) => groupId === id))];
      for (const siblings of families) {
        const positions = siblings.map(({ position }) => position).sort((a, b) => a - b);
        expect(positions).toEqual(siblings.map((_, index) => index));
      }
      expect(families.flat()).toHaveLength(groups.length + components.length);
    }),
  );
});

test('property: only a deletion removes a component, and it removes only this component', () => {
  fc.assert(
    fc.property(fc.array(keeping, { maxLength: 20 }), keeping, fc.nat(), (steps, step, which) => {
      const before = after(steps);
      const kept = step(before, 'new').components.filter(({ id }) => id !== 'new');
      expect(idsOf(kept)).toEqual(idsOf(before.components));
      const gone = pick(before.components, which);
      if (!gone) return;
      const rest = before.components.filter((component) => component !== gone);
      expect(idsOf(deleteComponent(before, gone.id).components)).toEqual(idsOf(rest));
    }),
  );
});

test('property: a moved component is at the requested position or last, and the other entries keep their order', () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 20 }), fc.nat(), place, (steps, which, where) => {
      const before = after(steps);
      const component = pick(before.components, which);
      if (!component) return;
      const wanted = placeOn(before, where);
      const page = changeComponent(before, component.id, wanted, isMonitor);
      const moved = page.components.find(({ id }) => id === component.id);
      expect(moved?.groupId).toBe(wanted.groupId);
      const topLevel = treeOf(page).length;
      const inGroup = page.components.filter(({ groupId }) => groupId === wanted.groupId).length;
      const siblings = wanted.groupId === undefined ? topLevel : inGroup;
      const stays = component.groupId === wanted.groupId;
      const position = wanted.position ?? (stays ? component.position : LAST);
      expect(moved?.position).toBe(Math.min(position, siblings - 1));
      expect(spelled(deleteComponent(page, component.id))).toBe(spelled(deleteComponent(before, component.id)));
    }),
  );
});

/** A page with a component A, a group X with B, C and D, a component E, and an empty group Y. */
const page = after([
  (p) => addComponent(p, 'a', { ...plain('A'), groupId: undefined }, isMonitor),
  (p) => addGroup(p, 'x', { name: 'X' }),
  (p) => addComponent(p, 'b', { ...plain('B'), groupId: 'x' }, isMonitor),
  (p) => addComponent(p, 'c', { ...plain('C'), groupId: 'x' }, isMonitor),
  (p) => addComponent(p, 'd', { ...plain('D'), groupId: 'x' }, isMonitor),
  (p) => addComponent(p, 'e', { ...plain('E'), groupId: undefined }, isMonitor),
  (p) => addGroup(p, 'y', { name: 'Y' }),
]);

function plain(name: string) {
  return { name, description: undefined, monitors: [], startDate: undefined };
}

const move = (id: string, changes: object) => () => changeComponent(page, id, changes, isMonitor);

test.each<[string, () => Placed, string]>([
  [
    'a new component is last',
    () => addComponent(page, 'n', { ...plain('N'), groupId: undefined }, isMonitor),
    'A X(B C D) E Y() N',
  ],
  [
    'a new component can be the first one of a group',
    () => addComponent(page, 'n', { ...plain('N'), groupId: 'x', position: 0 }, isMonitor),
    'A X(N B C D) E Y()',
  ],
  ['a component moved beyond the end is last', move('b', { position: 99 }), 'A X(C D B) E Y()'],
  ['a component moves up', move('d', { position: 0 }), 'A X(D B C) E Y()'],
  ['a component moves down to the requested position', move('b', { position: 1 }), 'A X(C B D) E Y()'],
  ['a component moved to another group is last', move('b', { groupId: 'y' }), 'A X(C D) E Y(B)'],
  ['a component moves into a group at a position', move('e', { groupId: 'x', position: 1 }), 'A X(B E C D) Y()'],
  ['a component moved out of its group is last', move('c', { groupId: undefined }), 'A X(B D) E Y() C'],
  [
    'a component moves out of its group to a position',
    move('c', { groupId: undefined, position: 1 }),
    'A C X(B D) E Y()',
  ],
  ['a renamed component keeps its position', move('c', { name: 'Z' }), 'A X(B Z D) E Y()'],
  ['a component moved to its own group keeps its position', move('b', { groupId: 'x' }), 'A X(B C D) E Y()'],
  ['a new group is last', () => addGroup(page, 'n', { name: 'N' }), 'A X(B C D) E Y() N()'],
  [
    'a new group has the requested position',
    () => addGroup(page, 'n', { name: 'N', position: 1 }),
    'A N() X(B C D) E Y()',
  ],
  ['a group moves with its components', () => changeGroup(page, 'x', { position: 9 }), 'A E Y() X(B C D)'],
  ['a renamed group keeps its position', () => changeGroup(page, 'x', { name: 'Z' }), 'A Z(B C D) E Y()'],
  ['the components of a deleted group take its position', () => deleteGroup(page, 'x'), 'A B C D E Y()'],
  ['an empty group is deleted', () => deleteGroup(page, 'y'), 'A X(B C D) E'],
])('in an edited structure, %s', (_, edit, wanted) => {
  expect(spelled(page)).toBe('A X(B C D) E Y()');
  expect(spelled(edit())).toBe(wanted);
});
