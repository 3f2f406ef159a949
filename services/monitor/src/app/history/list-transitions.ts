import { invalid, notFound } from '@tocsin/errors';
import { readCursor, writeCursor } from '@tocsin/text';
import { existingMonitorIds } from '../../storage/monitors/monitor-store.ts';
import { findTransitions, type StoredTransition } from '../../storage/rounds/transition-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

export interface TransitionList {
  readonly monitorId: string;
  /** At most so many; undefined: all. */
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

/** How a monitor's state changed, newest first, and where the next page begins if there is one. */
export async function listTransitions(
  deps: Deps,
  organizationId: string,
  { monitorId, limit, cursor }: TransitionList,
): Promise<{ transitions: StoredTransition[]; nextCursor: string | undefined }> {
  requireId(monitorId);
  const before = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && before === undefined) throw invalid({ cursor: ['is not from the link to a next page'] });
  return deps.database.transaction({ organizationId }, async (tx) => {
    const [known] = await existingMonitorIds(tx, organizationId, [monitorId]);
    if (!known) throw notFound('monitor');
    const found = await findTransitions(tx, monitorId, { before, limit: limit && limit + 1 });
    const transitions = limit ? found.slice(0, limit) : found;
    const hasMore = transitions.length < found.length;
    return { transitions, nextCursor: hasMore ? writeCursor(transitions.at(-1)?.id) : undefined };
  });
}
