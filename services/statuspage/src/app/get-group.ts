import type { PageKey } from '../storage/structure-store.ts';
import { type GroupWithComponents, groupWithComponents } from './group-with-components.ts';
import type { Deps } from './ports.ts';
import { readStructure } from './read-structure.ts';

/** @throws ServiceError `not_found` */
export async function getGroup(deps: Deps, { id, ...key }: PageKey & { id: string }): Promise<GroupWithComponents> {
  return groupWithComponents(await readStructure(deps, key), id);
}
