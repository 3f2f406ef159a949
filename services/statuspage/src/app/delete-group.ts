import { deleteGroup as without } from '../domain/edit-groups.ts';
import { planChanges } from '../domain/plan-structure.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeStructure } from './change-structure.ts';
import type { Deps } from './ports.ts';

/** Takes a group off its page; its components stay, ungrouped, at its place. @throws ServiceError `not_found` */
export async function deleteGroup(deps: Deps, { id, ...key }: PageKey & { id: string }): Promise<void> {
  await changeStructure(deps, key, (current) => planChanges(current, without(current, id)));
}
