import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { v7, validate } from 'uuid';
import { isEmptyPlan, planStructure, type WantedEntry } from '../domain/plan-structure.ts';
import { componentDeleted, pageUpdated } from '../events/outgoing.ts';
import { lockPage, touchPages } from '../storage/page-store.ts';
import { loadStructure, writePlan } from '../storage/structure-store.ts';
import { type PageWithTree, withTree } from './page-with-tree.ts';
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
  { database, monitors, now }: Deps,
  { organizationId, id, entries }: NewStructure,
): Promise<PageWithTree> {
  if (!validate(id)) throw notFound('status page');
  const key = { organizationId, pageId: id };
  // Before the transaction: no row stays locked while another service is asked.
  const existing = new Set(await monitors.existing(organizationId, monitorIds(entries)));
  return database.transaction({ organizationId }, async (tx) => {
    const page = await lockPage(tx, organizationId, id);
    if (!page) throw notFound('status page');
    const current = await loadStructure(tx, key, 'for update');
    const plan = planStructure(current, entries, { isMonitor: (monitorId) => existing.has(monitorId), newId: v7 });
    if (isEmptyPlan(plan)) return withTree(tx, page);

    const changed = { ...page, updatedAt: now() };
    await writePlan(tx, key, plan, changed.updatedAt);
    await touchPages(tx, organizationId, [id], changed.updatedAt);
    const deleted = plan.components.delete.map((componentId) => componentDeleted(page, componentId));
    await appendEvents(tx, [...deleted, pageUpdated(page)], changed.updatedAt);
    return withTree(tx, changed);
  });
}

function monitorIds(entries: readonly WantedEntry[]): string[] {
  const components = entries.flatMap((entry) => {
    if (entry.kind === 'unknown') return [];
    return entry.kind === 'group' ? entry.components : [entry];
  });
  const ids = components.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId));
  return [...new Set(ids)].filter((id) => validate(id));
}
