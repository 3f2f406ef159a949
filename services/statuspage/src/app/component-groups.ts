import { executeOnce, type Repeatable } from '@tocsin/outbox';
import { type Paging, type Part, partOf } from '@tocsin/paging';
import { v7 } from 'uuid';
import {
  addGroup,
  changeGroup,
  type GroupChanges,
  groupOf,
  type NewGroup,
  deleteGroup as without,
} from '../domain/edit-groups.ts';
import { planChanges } from '../domain/plan-structure.ts';
import { type Component, type Group, type Structure, treeOf } from '../domain/tree.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';
import { changeStructure, readStructure } from './structure.ts';

export interface GroupWithComponents {
  readonly id: string;
  readonly group: Group;
  /** Components of the group, in order. */
  readonly components: readonly Component[];
}

export function groupsOf(structure: Structure): GroupWithComponents[] {
  return treeOf(structure).flatMap((entry) => (entry.kind === 'group' ? [{ ...entry, id: entry.group.id }] : []));
}

/**
 * Returns a group with its components.
 * @throws ServiceError `not_found`
 */
export function groupWithComponents({ groups, components }: Structure, id: string): GroupWithComponents {
  const group = groupOf({ groups }, id);
  const inside = components.filter(({ groupId }) => groupId === id);
  return { id, group, components: inside.toSorted((a, b) => a.position - b.position) };
}

/**
 * Returns a group with its components.
 * @throws ServiceError `not_found`
 */
export async function getGroup(deps: Deps, { id, ...key }: PageKey & { id: string }): Promise<GroupWithComponents> {
  return groupWithComponents(await readStructure(deps, key), id);
}

/**
 * Returns a page's groups, newest first, each with its components.
 * @throws ServiceError `not_found`
 */
export async function listGroups(
  deps: Deps,
  { paging, ...key }: PageKey & { paging: Paging },
): Promise<Part<GroupWithComponents>> {
  return partOf(groupsOf(await readStructure(deps, key)), paging);
}

/**
 * Adds a group to a page. A repeat returns the group as it is now.
 * @throws ServiceError `not_found`, or `invalid` that lists all invalid fields; `conflict` for a repeat after the group
 * was deleted.
 */
export function createGroup(
  deps: Deps,
  { input, idempotencyId, ...key }: PageKey & Repeatable & { input: NewGroup },
): Promise<GroupWithComponents> {
  const create = async () => {
    const id = v7();
    const plan = (current: Structure) => planChanges(current, addGroup(current, id, input));
    const { structure } = await changeStructure(deps, key, plan, { request: { idempotencyId, resourceIds: [id] } });
    return groupWithComponents(structure, id);
  };
  return executeOnce(deps, { ...key, idempotencyId }, create, ([id = '']) => getGroup(deps, { ...key, id }));
}

/**
 * Changes the name, the position or the default expansion of a group.
 * @throws ServiceError `not_found`, or `invalid` that lists all invalid fields.
 */
export async function updateGroup(
  deps: Deps,
  { id, changes, ...key }: PageKey & { id: string; changes: GroupChanges },
): Promise<GroupWithComponents> {
  const { structure } = await changeStructure(deps, key, (current) =>
    planChanges(current, changeGroup(current, id, changes)),
  );
  return groupWithComponents(structure, id);
}

/**
 * Deletes a group. Its components stay on the page and take the group's position at the top level.
 * @throws ServiceError `not_found`
 */
export async function deleteGroup(deps: Deps, { id, ...key }: PageKey & { id: string }): Promise<void> {
  await changeStructure(deps, key, (current) => planChanges(current, without(current, id)));
}
