import { requireWithinLimit, type Transaction } from '@tocsin/database';
import { FieldErrorCollector, invalid } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { checkChannelLinks, mergeChannelLinks } from '../../domain/monitors/channel-links.ts';
import { checkConfirmPair } from '../../domain/monitors/confirm-pairs.ts';
import { checkConfigSize } from '../../domain/monitors/limits.ts';
import { DEFAULT_SETTINGS, type Monitor, type MonitorSettings } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { changeSecrets, type SecretChanges, type Secrets } from '../../domain/monitors/secrets.ts';
import { validateMonitor } from '../../domain/monitors/validate-monitor.ts';
import { monitorCreated } from '../../events/outgoing.ts';
import { findBrokenChannels } from '../../storage/monitors/channel-link-store.ts';
import { insertMonitors, MONITOR_ROWS } from '../../storage/monitors/monitor-store.ts';
import { applyHeartbeatSettings } from '../heartbeats/apply-heartbeat-settings.ts';
import { createHeartbeatToken } from '../heartbeats/heartbeat-token.ts';
import type { Deps } from '../ports.ts';
import { scheduleEnabled } from './apply-settings.ts';
import { type ChannelsToLink, defaultChannels, findChannels, linkChannels } from './link-channels.ts';
import { saveSecrets } from './monitor-secrets.ts';
import { areAllBroken } from './monitor-view.ts';

/** Settings of a new monitor. Absent settings get the API's defaults. */
export type NewMonitor = Pick<MonitorSettings, 'name' | 'checkType' | 'configJson'> &
  Partial<Omit<MonitorSettings, 'name' | 'checkType' | 'configJson' | 'secretNames'>> & {
    readonly secrets?: SecretChanges;
  };

/** Maximum number of monitors in one request. */
export const MAX_MONITORS_OF_BATCH = 200;

/**
 * Creates a monitor and schedules its first round immediately. A heartbeat monitor instead expects its first ping
 * within the time in its config. `limit` is the organization's maximum number of monitors.
 * @throws ServiceError `invalid`.
 */
export async function createMonitor(
  deps: Deps,
  organizationId: string,
  input: NewMonitor,
  limit: number,
): Promise<MonitorView> {
  const errors = new FieldErrorCollector();
  const [view] = await create(deps, organizationId, { drafts: [draftOf(input, errors)], errors, limit });
  if (!view) throw new Error('no monitor was created');
  return view;
}

/**
 * Creates several monitors like createMonitor(), or none if one of them is invalid. Error fields begin with the
 * monitor's position, as in `monitors.3.name`.
 * @throws ServiceError `invalid`.
 */
export async function createMonitors(
  deps: Deps,
  organizationId: string,
  inputs: readonly NewMonitor[],
  limit: number,
): Promise<MonitorView[]> {
  if (inputs.length === 0 || inputs.length > MAX_MONITORS_OF_BATCH) {
    throw invalid({ monitors: [`must be 1 to ${MAX_MONITORS_OF_BATCH} monitors, and has ${inputs.length}`] });
  }
  const errors = new FieldErrorCollector();
  const drafts = inputs.map((input, index) => draftOf(input, errors.within(`monitors.${index}.`)));
  return create(deps, organizationId, { drafts, errors, limit });
}

/** A monitor to create. */
interface Draft {
  readonly settings: MonitorSettings;
  readonly secrets: Secrets;
  /** Channels in the request; undefined for the default channels. */
  readonly channelIds: readonly string[] | undefined;
  /** Collects the errors in this monitor. */
  readonly errors: FieldErrorCollector;
}

function draftOf({ secrets: given = new Map(), ...input }: NewMonitor, errors: FieldErrorCollector): Draft {
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
  return { settings, secrets, channelIds: input.alertChannelIds, errors };
}

interface Creation {
  readonly drafts: readonly Draft[];
  /** Collects the errors of all drafts. */
  readonly errors: FieldErrorCollector;
  readonly limit: number;
}

async function create(deps: Deps, organizationId: string, { drafts, errors, limit }: Creation): Promise<MonitorView[]> {
  const channels = await channelsOf(deps, organizationId, drafts);
  const now = deps.now();
  return deps.database.transaction({ organizationId }, async (tx) => {
    const linked = await linkChannels(
      tx,
      organizationId,
      drafts.map(({ channelIds, errors }, index) => {
        const wanted = channels[index] ?? NO_CHANNELS;
        // A default channel may be deleted concurrently. Default channels count as already linked, so that such a
        // deletion does not cause an error about a channel that the request does not contain.
        return { channels: wanted, linked: channelIds ? [] : wanted.ids, errors };
      }),
    );
    errors.throwIfAny();
    const monitors = drafts.map(({ settings }, index) =>
      monitorOf(deps, organizationId, settings, linked[index] ?? [], now),
    );
    insertMonitors(tx, monitors);
    for (const [index, monitor] of monitors.entries()) {
      const secrets = drafts[index]?.secrets;
      if (secrets && secrets.size > 0) await saveSecrets(deps.vault, tx, monitor, secrets);
      await applyHeartbeatSettings(tx, monitor, undefined, { wasEnabled: false, now });
    }
    scheduleEnabled(tx, monitors, now);
    await appendEvents(tx, monitors.map(monitorCreated), now);
    const views = await viewsOf(tx, organizationId, monitors);
    await requireWithinLimit(tx, organizationId, MONITOR_ROWS, limit, monitors.length);
    return views;
  });
}

const NO_CHANNELS: ChannelsToLink = { ids: [], existing: new Set() };

/** Returns the channels of each draft, with at most two calls to the notifier. */
async function channelsOf(deps: Deps, organizationId: string, drafts: readonly Draft[]): Promise<ChannelsToLink[]> {
  const requested = await findChannels(
    deps,
    organizationId,
    drafts.map(({ channelIds = [], errors }) => ({ ids: channelIds, errors })),
  );
  if (drafts.every(({ channelIds }) => channelIds)) return requested;
  const defaults = await defaultChannels(deps, organizationId);
  return drafts.map(({ channelIds }, index) => (channelIds ? (requested[index] ?? NO_CHANNELS) : defaults));
}

function monitorOf(
  deps: Deps,
  organizationId: string,
  settings: MonitorSettings,
  alertChannelIds: readonly string[],
  now: Date,
): Monitor {
  const id = v7();
  return {
    ...settings,
    id,
    organizationId,
    alertChannelIds,
    alertChannelLinks: mergeChannelLinks(alertChannelIds, [], settings.alertChannelLinks),
    heartbeatToken: settings.checkType === 'heartbeat' ? createHeartbeatToken(deps.vault, id) : undefined,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

async function viewsOf(tx: Transaction, organizationId: string, monitors: readonly Monitor[]): Promise<MonitorView[]> {
  const linked = [...new Set(monitors.flatMap(({ alertChannelIds }) => alertChannelIds))];
  const broken = await findBrokenChannels(tx, organizationId, linked);
  return monitors.map((monitor) => ({
    monitor,
    evaluatorState: undefined,
    channelsBroken: areAllBroken(monitor.alertChannelIds, broken),
  }));
}
