import type { Transaction } from '@tocsin/database';
import { invalid, notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { startStanding } from '../domain/evaluate.ts';
import type { Monitor, MonitorSettings } from '../domain/monitor.ts';
import { validateMonitor } from '../domain/validate-monitor.ts';
import { monitorUpdated, stateChanged } from '../events/outgoing.ts';
import { lockMonitor, saveMonitor } from '../storage/monitor-store.ts';
import { dropOpenRounds } from '../storage/round-store.ts';
import { reschedule } from '../storage/schedule-store.ts';
import { saveStandings } from '../storage/standing-store.ts';
import { checkChannelIds } from './link-channels.ts';
import { type MonitorView, requireId, viewOf } from './monitor-view.ts';
import type { Deps } from './ports.ts';

/** Only what is there changes. */
export type MonitorChanges = Partial<MonitorSettings>;

/**
 * Changes a monitor. Disabling freezes it: nothing is checked or decided until it is enabled, and then it starts again at
 * pending. What it checks now is checked at once.
 */
export async function updateMonitor(
  deps: Deps,
  organizationId: string,
  id: string,
  changes: MonitorChanges,
): Promise<MonitorView> {
  requireId(id);
  const links = changes.alertChannelIds && {
    alertChannelIds: await checkChannelIds(deps, organizationId, changes.alertChannelIds),
  };
  return deps.database.transaction({ organizationId }, async (tx) => {
    const before = await lockMonitor(tx, organizationId, id);
    if (!before) throw notFound('monitor');
    if (changes.checkType && changes.checkType !== before.checkType) {
      throw invalid({ check_type: [`can't be changed; this monitor is of type ${before.checkType}`] });
    }
    const now = deps.now();
    const monitor: Monitor = { ...before, ...changes, ...links, version: before.version + 1, updatedAt: now };
    validateMonitor(monitor);
    await saveMonitor(tx, monitor);
    await followSettings(tx, before, monitor, now);
    return viewOf(tx, monitor);
  });
}

async function followSettings(tx: Transaction, before: Monitor, monitor: Monitor, now: Date): Promise<void> {
  const events = [monitorUpdated(monitor)];
  if (before.enabled && !monitor.enabled) await dropOpenRounds(tx, monitor.id);
  if (!before.enabled && monitor.enabled) {
    const { standing } = await viewOf(tx, monitor);
    if (standing) {
      const fresh = startStanding(now, standing);
      await saveStandings(tx, [{ monitorId: monitor.id, organizationId: monitor.organizationId, standing: fresh }]);
      events.push(stateChanged(monitor, fresh, { error: '', explanation: 'the monitor was enabled again' }));
    }
  }
  await reschedule(tx, monitor, now);
  await appendEvents(tx, events, now);
}
