import { type EntryOf, type Placed, type PlacedComponent, type PlacedGroup, treeOf } from './tree.ts';

/** Position after all other entries. */
export const LAST = Number.POSITIVE_INFINITY;

/** Top-level entries in order. Their `position` fields are set by `numbered` at the end. */
type Arrangement = readonly EntryOf<PlacedGroup, PlacedComponent>[];

/**
 * Inserts or moves a component into the group `groupId`, or to the top level. `position` is its index in the result. If
 * the position is too large, the component becomes the last one.
 */
export function putComponent(page: Placed, component: PlacedComponent): Placed {
  const rest = treeOf(removeComponent(page, component.id));
  const { groupId, position } = component;
  if (groupId === undefined) return numbered(rest.toSpliced(position, 0, { kind: 'component', component }));
  return numbered(
    rest.map((entry) =>
      entry.kind === 'group' && entry.group.id === groupId
        ? { ...entry, components: entry.components.toSpliced(position, 0, component) }
        : entry,
    ),
  );
}

/**
 * Inserts or moves a group with its components. `position` is its index among the top-level entries of the result. If
 * the position is too large, the group becomes the last entry.
 */
export function putGroup(page: Placed, group: PlacedGroup): Placed {
  const entries = treeOf(page);
  const isIt = (entry: Arrangement[number]) => entry.kind === 'group' && entry.group.id === group.id;
  const components = page.components.filter(({ groupId }) => groupId === group.id);
  const entry = { kind: 'group' as const, group, components: components.toSorted((a, b) => a.position - b.position) };
  return numbered(entries.filter((one) => !isIt(one)).toSpliced(group.position, 0, entry));
}

export function removeComponent({ groups, components }: Placed, id: string): Placed {
  return numbered(treeOf({ groups, components: components.filter((component) => component.id !== id) }));
}

/** Removes a group. Its components take its place at the top level, in the same order. */
export function removeGroup(page: Placed, id: string): Placed {
  return numbered(
    treeOf(page).flatMap((entry): Arrangement => {
      if (entry.kind === 'component' || entry.group.id !== id) return [entry];
      return entry.components.map((component) => ({ kind: 'component', component }));
    }),
  );
}

/** Sets the positions of siblings to 0…n-1, in order. */
function numbered(entries: Arrangement): Placed {
  const groups: PlacedGroup[] = [];
  const components: PlacedComponent[] = [];
  for (const [position, entry] of entries.entries()) {
    if (entry.kind === 'component') components.push({ ...entry.component, groupId: undefined, position });
    else {
      const { id } = entry.group;
      groups.push({ ...entry.group, position });
      components.push(...entry.components.map((one, index) => ({ ...one, groupId: id, position: index })));
    }
  }
  return { groups, components };
}
