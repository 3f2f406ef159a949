import { v7 } from 'uuid';
import { addGroup, type NewGroup } from '../domain/edit-groups.ts';
import { planChanges } from '../domain/plan-structure.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeStructure } from './change-structure.ts';
import { type GroupWithComponents, groupWithComponents } from './group-with-components.ts';
import type { Deps } from './ports.ts';

/** Adds a group to a page. @throws ServiceError `not_found`, or `invalid` that names every wrong field. */
export async function createGroup(
  deps: Deps,
  { wish, ...key }: PageKey & { wish: NewGroup },
): Promise<GroupWithComponents> {
  const id = v7();
  const { structure } = await changeStructure(deps, key, (current) =>
    planChanges(current, addGroup(current, id, wish)),
  );
  return groupWithComponents(structure, id);
}
