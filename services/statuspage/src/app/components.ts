import { notFound } from '@tocsin/errors';
import { executeOnce, type Repeatable } from '@tocsin/outbox';
import { type Paging, type Part, partOf } from '@tocsin/paging';
import { v7, validate } from 'uuid';
import {
  addComponent,
  type ComponentChanges,
  changeComponent,
  componentOf,
  type NewComponent,
  deleteComponent as without,
} from '../domain/edit-components.ts';
import { planChanges } from '../domain/plan-structure.ts';
import type { Component } from '../domain/tree.ts';
import { findPage } from '../storage/page-store.ts';
import { findComponent, type PageKey } from '../storage/structure-store.ts';
import type { LinkDeps } from './linkable-monitors.ts';
import type { Deps } from './ports.ts';
import { changeStructure, readStructure } from './structure.ts';

/**
 * Returns a component.
 * @throws ServiceError `not_found`
 */
export async function getComponent(
  { database }: Pick<LinkDeps, 'database'>,
  { id, ...key }: PageKey & { id: string },
): Promise<Component> {
  const { organizationId, pageId } = key;
  if (!validate(pageId)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    if (!(await findPage(tx, organizationId, pageId))) throw notFound('status page');
    const component = validate(id) ? await findComponent(tx, key, id) : undefined;
    if (!component) throw notFound('component');
    return component;
  });
}

/**
 * Returns a page's components, grouped and ungrouped, newest first.
 * @throws ServiceError `not_found`
 */
export async function listComponents(
  deps: Deps,
  { paging, ...key }: PageKey & { paging: Paging },
): Promise<Part<Component>> {
  const { components } = await readStructure(deps, key);
  return partOf(components, paging);
}

/**
 * Adds a component to a page. A repeat returns the component as it is now.
 * @throws ServiceError `not_found`, or `invalid` that lists all invalid fields; `conflict` for a repeat after the
 * component was deleted.
 */
export function createComponent(
  deps: LinkDeps,
  { input, idempotencyId, ...key }: PageKey & Repeatable & { input: NewComponent },
): Promise<Component> {
  const create = async () => {
    const id = v7();
    const { structure } = await changeStructure(
      deps,
      key,
      (current, isMonitor) => planChanges(current, addComponent(current, id, input, isMonitor)),
      { links: input.monitors, request: { idempotencyId, resourceIds: [id] } },
    );
    return componentOf(structure, id);
  };
  return executeOnce(deps, { ...key, idempotencyId }, create, ([id = '']) => getComponent(deps, { ...key, id }));
}

/**
 * Changes and moves a component.
 * @throws ServiceError `not_found`, or `invalid` that lists all invalid fields.
 */
export async function updateComponent(
  deps: LinkDeps,
  { id, changes, ...key }: PageKey & { id: string; changes: ComponentChanges },
): Promise<Component> {
  const { structure } = await changeStructure(
    deps,
    key,
    (current, isMonitor) => planChanges(current, changeComponent(current, id, changes, isMonitor)),
    { links: changes.monitors ?? [] },
  );
  return componentOf(structure, id);
}

/**
 * Deletes a component.
 * @throws ServiceError `not_found`
 */
export async function deleteComponent(deps: Deps, { id, ...key }: PageKey & { id: string }): Promise<void> {
  await changeStructure(deps, key, (current) => planChanges(current, without(current, id)));
}
