import { v7 } from 'uuid';
import { addComponent, componentOf, type NewComponent } from '../domain/edit-components.ts';
import { planChanges } from '../domain/plan-structure.ts';
import type { Component } from '../domain/tree.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeStructure } from './change-structure.ts';
import { linkable } from './linkable.ts';
import type { Deps } from './ports.ts';

/** Adds a component to a page. @throws ServiceError `not_found`, or `invalid` that names every wrong field. */
export async function createComponent(
  deps: Deps,
  { wish, ...key }: PageKey & { wish: NewComponent },
): Promise<Component> {
  const id = v7();
  const isMonitor = await linkable(deps, key.organizationId, wish.monitors);
  const { structure } = await changeStructure(deps, key, (current) =>
    planChanges(current, addComponent(current, id, wish, isMonitor)),
  );
  return componentOf(structure, id);
}
