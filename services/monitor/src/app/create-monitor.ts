import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { DEFAULT_SETTINGS, type MonitorSettings } from '../domain/monitor.ts';
import { validateMonitor } from '../domain/validate-monitor.ts';
import { monitorCreated } from '../events/outgoing.ts';
import { insertMonitor } from '../storage/monitor-store.ts';
import { reschedule } from '../storage/schedule-store.ts';
import { checkChannelIds } from './link-channels.ts';
import type { MonitorView } from './monitor-view.ts';
import type { Deps } from './ports.ts';

/** What a caller may say about a new monitor; what it leaves out takes the contract's defaults. */
export type NewMonitor = Pick<MonitorSettings, 'name' | 'checkType' | 'configJson'> &
  Partial<Omit<MonitorSettings, 'name' | 'checkType' | 'configJson'>>;

/** Creates a monitor; its first round is due at once. */
export async function createMonitor(deps: Deps, organizationId: string, input: NewMonitor): Promise<MonitorView> {
  const settings: MonitorSettings = { ...DEFAULT_SETTINGS, ...input, alertChannelIds: input.alertChannelIds ?? [] };
  validateMonitor(settings);
  const alertChannelIds = input.alertChannelIds
    ? await checkChannelIds(deps, organizationId, input.alertChannelIds)
    : await deps.channels.defaults(organizationId);

  const now = deps.now();
  const monitor = {
    ...settings,
    alertChannelIds,
    id: v7(),
    organizationId,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  await deps.database.transaction({ organizationId }, async (tx) => {
    await insertMonitor(tx, monitor);
    await reschedule(tx, monitor, now);
    await appendEvents(tx, [monitorCreated(monitor)], now);
  });
  return { monitor, standing: undefined };
}
