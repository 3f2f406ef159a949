import { changeGroup, type GroupChanges } from '../domain/edit-groups.ts';
import { planChanges } from '../domain/plan-structure.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeStructure } from './change-structure.ts';
import { type GroupWithComponents, groupWithComponents } from './group-with-components.ts';
import type { Deps } from './ports.ts';

/** Renames and moves a group. @throws ServiceError `not_found`, or `invalid` that names every wrong field. */
export async function updateGroup(
  deps: Deps,
  { id, changes, ...key }: PageKey & { id: string; changes: GroupChanges },
): Promise<GroupWithComponents> {
  const { structure } = await changeStructure(deps, key, (current) =>
    planChanges(current, changeGroup(current, id, changes)),
  );
  return groupWithComponents(structure, id);
}
