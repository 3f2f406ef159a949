import { requireWithinLimit, type Transaction } from '@tocsin/database';
import { FieldErrorCollector, invalid } from '@tocsin/errors';
import {
  appendEvents,
  currentTrace,
  type ExecutedRequest,
  executeOnce,
  type Repeatable,
  recordRequests,
} from '@tocsin/outbox';
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
import { getMonitors } from './get-monitor.ts';
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

/** A request that creates monitors. */
export interface Creator extends Repeatable {
  readonly organizationId: string;
  /** Maximum number of monitors of the organization. */
  readonly limit: number;
}

/**
 * Creates the monitors of a request, or none if one of them is invalid. A repeat returns the monitors as they are now.
 * Error fields begin with the monitor's position, as in `monitors.3.name`.
 * @throws ServiceError `invalid`; `conflict` for a repeat after one of the monitors was deleted.
 */
export async function createMonitors(
  deps: Deps,
  creator: Creator,
  inputs: readonly NewMonitor[],
): Promise<MonitorView[]> {
  const { organizationId, idempotencyId, limit } = creator;
  if (inputs.length === 0 || inputs.length > MAX_MONITORS_OF_BATCH) {
    throw invalid({ monitors: [`must be 1 to ${MAX_MONITORS_OF_BATCH} monitors, and has ${inputs.length}`] });
  }
  const errors = new FieldErrorCollector();
  const drafts = inputs.map((input, index) => draftOf(input, errors.within(`monitors.${index}.`)));
  const requestsOf = (resourceIds: readonly string[]) => [{ idempotencyId, resourceIds }];
  return executeOnce(
    deps,
    creator,
    () => createDrafts(deps, organizationId, { drafts, limit, requestsOf }),
    (ids) => getMonitors(deps, organizationId, ids),
  );
}

/** A monitor to create. */
export interface Draft {
  readonly settings: MonitorSettings;
  readonly secrets: Secrets;
  /** Channels in the request; undefined for the default channels. */
  readonly channelIds: readonly string[] | undefined;
  /** Collects the errors in this monitor. */
  readonly errors: FieldErrorCollector;
  /** Trace of the request, for the event. */
  readonly trace: string;
}

/** Returns the monitor in a request. Errors that need no database are added to `errors`. */
export function draftOf(
  { secrets: given = new Map(), ...input }: NewMonitor,
  errors = new FieldErrorCollector(),
): Draft {
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
  return { settings, secrets, channelIds: input.alertChannelIds, errors, trace: currentTrace() };
}

interface Creation {
  readonly drafts: readonly Draft[];
  readonly limit: number;
  /** Returns the requests that create monitors with these ids, which are in the order of the drafts. */
  readonly requestsOf: (ids: readonly string[]) => ExecutedRequest[];
  /** Called before the commit. If the creation fails later, it may have succeeded nevertheless. */
  readonly onCommit?: () => void;
}

/**
 * Creates monitors of one or more requests in one transaction, or none of them. Schedules their first rounds
 * immediately. A heartbeat monitor instead expects its first ping within the time in its config.
 * @throws ServiceError `invalid`.
 */
export async function createDrafts(
  deps: Deps,
  organizationId: string,
  { drafts, limit, requestsOf, onCommit }: Creation,
): Promise<MonitorView[]> {
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
    for (const { errors } of drafts) errors.throwIfAny();
    const monitors = drafts.map(({ settings }, index) =>
      monitorOf(deps, organizationId, settings, linked[index] ?? [], now),
    );
    const requests = requestsOf(monitors.map(({ id }) => id));
    recordRequests(tx, organizationId, requests, now);
    insertMonitors(tx, monitors);
    // The statements of all monitors are sent together.
    await Promise.all(
      monitors.map(async (monitor, index) => {
        const secrets = drafts[index]?.secrets;
        if (secrets && secrets.size > 0) await saveSecrets(deps.vault, tx, monitor, secrets);
        await applyHeartbeatSettings(tx, monitor, undefined, { wasEnabled: false, now });
      }),
    );
    scheduleEnabled(tx, monitors, now);
    const events = monitors.map((monitor, index) => ({ ...monitorCreated(monitor), trace: drafts[index]?.trace }));
    await appendEvents(tx, events, now);
    const views = await viewsOf(tx, organizationId, monitors);
    await requireWithinLimit(tx, organizationId, MONITOR_ROWS, limit, monitors.length);
    onCommit?.();
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
