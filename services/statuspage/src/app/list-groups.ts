import { type Paging, type Part, partOf } from '@tocsin/paging';
import type { PageKey } from '../storage/structure-store.ts';
import { type GroupWithComponents, groupsOf } from './group-with-components.ts';
import type { Deps } from './ports.ts';
import { readStructure } from './read-structure.ts';

/** A page's groups with their components, newest first. @throws ServiceError `not_found` */
export async function listGroups(
  deps: Deps,
  { paging, ...key }: PageKey & { paging: Paging },
): Promise<Part<GroupWithComponents>> {
  return partOf(groupsOf(await readStructure(deps, key)), paging);
}
