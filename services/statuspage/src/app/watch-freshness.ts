import { appendEvents } from '@tocsin/outbox';
import { checkFreshness, type FreshnessCheck } from '../domain/last-checks.ts';
import { publicPageChanged } from '../events/outgoing.ts';
import { listLinkedIds, listLinkedPageIds } from '../storage/component-store.ts';
import { claimDueFreshness, type MonitorFreshness, saveFreshness, saveOverdue } from '../storage/freshness-store.ts';
import type { Deps } from './ports.ts';
import { recordShownStatuses } from './record-statuses.ts';

/** Maximum number of monitors that are checked in one call. */
const BATCH = 200;

/** Maximum number of organizations whose last rounds are requested at the same time. */
const CONCURRENT = 10;

/**
 * An interrupted freshness check is repeated after REPEAT_MS. For a monitor without linked components, the next check
 * is after UNLINKED_MS.
 */
const REPEAT_MS = 60_000;
const UNLINKED_MS = 5 * 60_000;

type Check = FreshnessCheck & { readonly monitorId: string };

/**
 * Records in the history of components when their monitors become overdue, and when they are no longer overdue. Ignores
 * monitors that no component is linked to. checkFreshness() sets the time of the next check.
 */
export async function watchFreshness(deps: Pick<Deps, 'database' | 'monitors' | 'now'>): Promise<'again' | 'done'> {
  const { database, now } = deps;
  const at = now();
  const { due, isFull } = await database.transaction('every organization', (tx) =>
    claimDueFreshness(tx, {
      now: at,
      next: new Date(at.getTime() + REPEAT_MS),
      nextUnlinked: new Date(at.getTime() + UNLINKED_MS),
      limit: BATCH,
    }),
  );
  const byOrganization = [...Map.groupBy(due, ({ organizationId }) => organizationId)];
  for (let from = 0; from < byOrganization.length; from += CONCURRENT) {
    const some = byOrganization.slice(from, from + CONCURRENT);
    await Promise.all(some.map(([organizationId, monitors]) => watchMonitors(deps, organizationId, monitors)));
  }
  return isFull ? 'again' : 'done';
}

async function watchMonitors(
  { database, monitors, now }: Pick<Deps, 'database' | 'monitors' | 'now'>,
  organizationId: string,
  due: readonly MonitorFreshness[],
): Promise<void> {
  const ids = due.map(({ monitorId }) => monitorId);
  const rounds = await monitors.lastRounds(organizationId, ids).catch(() => undefined);
  const at = now();
  const checks = due.flatMap((known): Check[] => {
    const { monitorId } = known;
    const round = rounds?.get(monitorId);
    // The monitor was just disabled or deleted, and an event about this follows.
    if (rounds && !round) return [];
    return [{ monitorId, ...checkFreshness(known, round, at) }];
  });
  await database.transaction({ organizationId }, async (tx) => {
    await saveFreshness(tx, organizationId, checks);
    const pageIds = new Set<string>();
    for (const { monitorId, changes } of checks) {
      if (changes.length === 0) continue;
      const componentIds = await listLinkedIds(tx, organizationId, monitorId);
      for (const { at: changedAt, isOverdue } of changes) {
        await saveOverdue(tx, { organizationId, monitorId }, isOverdue);
        await recordShownStatuses(tx, organizationId, componentIds, changedAt);
      }
      for (const id of await listLinkedPageIds(tx, organizationId, monitorId)) pageIds.add(id);
    }
    await appendEvents(
      tx,
      [...pageIds].map((id) => publicPageChanged({ organizationId, id })),
      at,
    );
  });
}
