import { componentOf } from '../domain/edit-components.ts';
import type { Component } from '../domain/tree.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';
import { readStructure } from './read-structure.ts';

/** @throws ServiceError `not_found` */
export async function getComponent(deps: Deps, { id, ...key }: PageKey & { id: string }): Promise<Component> {
  return componentOf(await readStructure(deps, key), id);
}
