import { FieldErrorCollector, notFound } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import { LAST, putGroup, removeGroup } from './arrange.ts';
import { problemOfPosition } from './position.ts';
import type { Placed, PlacedGroup } from './tree.ts';

/** Changes to a group. Absent fields stay unchanged. */
export interface GroupChanges {
  readonly name?: string;
  /** 0-based position among the page's top-level entries. If it is too large, the group becomes the last entry. */
  readonly position?: number;
  /**
   * Whether the page shows the group expanded by default; undefined for the default, which depends on the page's length
   * and status.
   */
  readonly defaultOpen?: boolean | undefined;
}

export type NewGroup = GroupChanges & { readonly name: string };

/**
 * Adds a group without components, by default as the last entry.
 * @throws ServiceError `invalid`
 */
export function addGroup(page: Placed, id: string, { name, position = LAST, defaultOpen }: NewGroup): Placed {
  check({ name, position });
  return putGroup(page, { id, name, position, defaultOpen });
}

/**
 * Changes the name, the position or the default expansion of a group. Its components move with it.
 * @throws ServiceError `not_found` or `invalid`
 */
export function changeGroup(page: Placed, id: string, changes: GroupChanges): Placed {
  const group = groupOf(page, id);
  check(changes, group.name);
  return putGroup(page, { ...group, ...changes });
}

/**
 * Deletes a group. Its components take the group's position at the top level.
 * @throws ServiceError `not_found`
 */
export function deleteGroup(page: Placed, id: string): Placed {
  return removeGroup(page, groupOf(page, id).id);
}

/**
 * Returns the group with this id.
 * @throws ServiceError `not_found`
 */
export function groupOf<Group extends PlacedGroup>(
  { groups }: { readonly groups: readonly Group[] },
  id: string,
): Group {
  const group = groups.find((one) => one.id === id);
  if (!group) throw notFound('component group');
  return group;
}

/** Checks the name and the position. An unchanged name is accepted, even if it was saved under older rules. */
function check({ name, position }: GroupChanges, nameBefore?: string): void {
  const errors = new FieldErrorCollector();
  if (name !== undefined && name !== nameBefore) errors.add('name', problemOfLine(name, 255));
  errors.add('position', problemOfPosition(position));
  errors.throwIfAny();
}
