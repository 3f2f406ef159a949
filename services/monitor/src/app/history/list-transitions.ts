import { notFound } from '@tocsin/errors';
import { cutPart, type Paging } from '@tocsin/paging';
import { existingMonitorIds } from '../../storage/monitors/monitor-store.ts';
import { findTransitions, type StoredTransition } from '../../storage/rounds/transition-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

export interface TransitionList {
  readonly monitorId: string;
  readonly paging: Paging;
}

/**
 * Returns a page of a monitor's state changes, newest first, and the cursor for the next page; the last page has no
 * cursor.
 */
export async function listTransitions(
  deps: Deps,
  organizationId: string,
  { monitorId, paging }: TransitionList,
): Promise<{ transitions: StoredTransition[]; nextCursor: string | undefined }> {
  requireId(monitorId);
  return deps.database.transaction({ organizationId }, async (tx) => {
    const [known] = await existingMonitorIds(tx, organizationId, [monitorId]);
    if (!known) throw notFound('monitor');
    const found = await findTransitions(tx, monitorId, { ...paging, limit: paging.limit + 1 });
    const { items, nextCursor } = cutPart(found, paging);
    return { transitions: [...items], nextCursor };
  });
}
