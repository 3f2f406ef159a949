import { type ComponentChanges, changeComponent, componentOf } from '../domain/edit-components.ts';
import { planChanges } from '../domain/plan-structure.ts';
import type { Component } from '../domain/tree.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeStructure } from './change-structure.ts';
import { linkable } from './linkable.ts';
import type { Deps } from './ports.ts';

/** Changes and moves a component. @throws ServiceError `not_found`, or `invalid` that names every wrong field. */
export async function updateComponent(
  deps: Deps,
  { id, changes, ...key }: PageKey & { id: string; changes: ComponentChanges },
): Promise<Component> {
  const isMonitor = await linkable(deps, key.organizationId, changes.monitors ?? []);
  const { structure } = await changeStructure(deps, key, (current) =>
    planChanges(current, changeComponent(current, id, changes, isMonitor)),
  );
  return componentOf(structure, id);
}
