import { requireWithinLimit } from '@tocsin/database';
import { FieldErrorCollector } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { checkChannelLinks, mergeChannelLinks } from '../../domain/monitors/channel-links.ts';
import { checkConfirmPair } from '../../domain/monitors/confirm-pairs.ts';
import { checkConfigSize } from '../../domain/monitors/limits.ts';
import { DEFAULT_SETTINGS, type Monitor, type MonitorSettings } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { changeSecrets, type SecretChanges } from '../../domain/monitors/secrets.ts';
import { validateMonitor } from '../../domain/monitors/validate-monitor.ts';
import { monitorCreated } from '../../events/outgoing.ts';
import { areAllBroken } from '../../storage/monitors/channel-link-store.ts';
import { insertMonitor, MONITOR_ROWS } from '../../storage/monitors/monitor-store.ts';
import { applyHeartbeatSettings } from '../heartbeats/apply-heartbeat-settings.ts';
import { createHeartbeatToken } from '../heartbeats/heartbeat-token.ts';
import type { Deps } from '../ports.ts';
import { putOnSchedule } from './apply-settings.ts';
import { defaultChannels, findChannels, linkChannels } from './link-channels.ts';
import { saveSecrets } from './monitor-secrets.ts';

/** Settings of a new monitor. Absent settings get the defaults of the API. */
export type NewMonitor = Pick<MonitorSettings, 'name' | 'checkType' | 'configJson'> &
  Partial<Omit<MonitorSettings, 'name' | 'checkType' | 'configJson' | 'secretNames'>> & {
    readonly secrets?: SecretChanges;
  };

/**
 * Creates a monitor and schedules its first round immediately. A heartbeat monitor instead expects its first ping
 * within the time in its config. `limit` is the organization's maximum number of monitors.
 * @throws ServiceError `invalid`.
 */
export async function createMonitor(
  deps: Deps,
  organizationId: string,
  { secrets: given = new Map(), ...input }: NewMonitor,
  limit: number,
): Promise<MonitorView> {
  const errors = new FieldErrorCollector();
  const secrets = changeSecrets(input.checkType, new Map(), given, errors);
  const settings: MonitorSettings = {
    ...DEFAULT_SETTINGS,
    ...input,
    alertChannelIds: input.alertChannelIds ?? [],
    secretNames: [...secrets.keys()].sort(),
  };
  checkConfigSize(settings.configJson, errors);
  validateMonitor(settings, errors);
  checkConfirmPair(input.checkType, input, errors);
  checkChannelLinks(settings.alertChannelIds, settings.alertChannelLinks, errors);
  const channels = input.alertChannelIds
    ? await findChannels(deps, organizationId, input.alertChannelIds, errors)
    : await defaultChannels(deps, organizationId);

  const now = deps.now();
  const id = v7();
  const created: Monitor = {
    ...settings,
    id,
    organizationId,
    heartbeatToken: settings.checkType === 'heartbeat' ? createHeartbeatToken(deps.vault, id) : undefined,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  return deps.database.transaction({ organizationId }, async (tx) => {
    // A default channel may be deleted at the same time. The request must not fail because of a channel that it does
    // not name.
    const linked = input.alertChannelIds ? [] : channels.ids;
    const alertChannelIds = await linkChannels(tx, organizationId, channels, linked, errors);
    errors.throwIfAny();
    const alertChannelLinks = mergeChannelLinks(alertChannelIds, [], settings.alertChannelLinks);
    const monitor = { ...created, alertChannelIds, alertChannelLinks };
    await insertMonitor(tx, monitor);
    await saveSecrets(deps.vault, tx, monitor, secrets);
    await applyHeartbeatSettings(tx, monitor, undefined, { wasEnabled: false, now });
    await putOnSchedule(tx, monitor, now);
    await appendEvents(tx, [monitorCreated(monitor)], now);
    const channelsBroken = await areAllBroken(tx, organizationId, alertChannelIds);
    await requireWithinLimit(tx, organizationId, MONITOR_ROWS, limit);
    return { monitor, evaluatorState: undefined, channelsBroken };
  });
}
