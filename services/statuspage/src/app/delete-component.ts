import { deleteComponent as without } from '../domain/edit-components.ts';
import { planChanges } from '../domain/plan-structure.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeStructure } from './change-structure.ts';
import type { Deps } from './ports.ts';

/** Takes a component off its page. @throws ServiceError `not_found` */
export async function deleteComponent(deps: Deps, { id, ...key }: PageKey & { id: string }): Promise<void> {
  await changeStructure(deps, key, (current) => planChanges(current, without(current, id)));
}
