import { v7 } from 'uuid';
import { planStructure, type WantedEntry } from '../domain/plan-structure.ts';
import { treeOf } from '../domain/tree.ts';
import { changeStructure } from './change-structure.ts';
import { linkable } from './linkable.ts';
import type { PageWithTree } from './page-with-tree.ts';
import type { Deps } from './ports.ts';

export interface NewStructure {
  readonly organizationId: string;
  readonly id: string;
  readonly entries: readonly WantedEntry[];
}

/**
 * Replaces a page's whole tree. Replacements of one page run one after the other; the last one wins as a whole.
 * @throws ServiceError `not_found`, or `invalid` that names every wrong entry by its path in the public contract.
 */
export async function replaceStructure(
  deps: Deps,
  { organizationId, id, entries }: NewStructure,
): Promise<PageWithTree> {
  const components = entries.flatMap((entry) => {
    if (entry.kind === 'unknown') return [];
    return entry.kind === 'group' ? entry.components : [entry];
  });
  const links = components.flatMap(({ monitors }) => monitors);
  const isMonitor = await linkable(deps, organizationId, links);
  const { page, structure } = await changeStructure(deps, { organizationId, pageId: id }, (current) =>
    planStructure(current, entries, { isMonitor, newId: v7 }),
  );
  return { page, entries: treeOf(structure) };
}
