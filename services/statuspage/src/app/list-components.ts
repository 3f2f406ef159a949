import { type Paging, type Part, partOf } from '@tocsin/paging';
import type { Component } from '../domain/tree.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';
import { readStructure } from './read-structure.ts';

/** A page's components, grouped or not, newest first. @throws ServiceError `not_found` */
export async function listComponents(
  deps: Deps,
  { paging, ...key }: PageKey & { paging: Paging },
): Promise<Part<Component>> {
  const { components } = await readStructure(deps, key);
  return partOf(components, paging);
}
