import { groupOf } from '../domain/edit-groups.ts';
import { type Component, type Group, type Structure, treeOf } from '../domain/tree.ts';

export interface GroupWithComponents {
  readonly id: string;
  readonly group: Group;
  /** In their order. */
  readonly components: readonly Component[];
}

export function groupsOf(structure: Structure): GroupWithComponents[] {
  return treeOf(structure).flatMap((entry) => (entry.kind === 'group' ? [{ ...entry, id: entry.group.id }] : []));
}

/** @throws ServiceError `not_found` */
export function groupWithComponents({ groups, components }: Structure, id: string): GroupWithComponents {
  const group = groupOf({ groups }, id);
  const inside = components.filter(({ groupId }) => groupId === id);
  return { id, group, components: inside.toSorted((a, b) => a.position - b.position) };
}
