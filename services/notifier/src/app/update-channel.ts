import { FieldErrorCollector, notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { type Channel, change, problemOfName } from '../domain/channel.ts';
import { checkPolicy, holdsBackDifferently, type PolicyChanges } from '../domain/channel-policy.ts';
import { channelHealed } from '../events/outgoing.ts';
import { lockChannel, replaceConfig, saveChannel } from '../storage/channel-store.ts';
import { dropHeld } from '../storage/held-store.ts';
import { askToConfirm } from './channel-recipients.ts';
import { checkConfig, requireKind } from './check-config.ts';
import { checkFallback } from './check-fallback.ts';
import { closeIncidents } from './close-incidents.ts';
import { getChannel } from './get-channel.ts';
import { healChannel, withdrawBroken } from './heal-channel.ts';
import { type Deps, vaultContext } from './ports.ts';
import { resumeReminders } from './run-outage-timers.ts';
import { applyChangedPolicy } from './sum-up.ts';

/** Changes to a channel. Absent fields stay unchanged. */
export interface ChannelUpdate {
  readonly organizationId: string;
  readonly id: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly configJson?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly defaultForNewMonitors?: boolean | undefined;
  /** Null removes the fallback. */
  readonly fallbackChannelId?: string | null | undefined;
  readonly policy?: PolicyChanges | undefined;
}

/**
 * Updates the given fields of a channel.
 * @throws ServiceError `not_found`, or `invalid` that names all invalid fields.
 */
export async function updateChannel(deps: Deps, input: ChannelUpdate): Promise<Channel> {
  const { organizationId, id, name, enabled, defaultForNewMonitors, fallbackChannelId, policy, configJson } = input;
  const current = await getChannel(deps, { organizationId, id });
  await checkUpdate(deps, current, input);
  const sealedConfig = configJson === undefined ? undefined : deps.vault.seal(configJson, vaultContext(id));

  return deps.database.transaction({ organizationId }, async (tx) => {
    if (configJson !== undefined) await askToConfirm(deps, tx, { organizationId, type: current.type, configJson });
    const before = await lockChannel(tx, organizationId, id);
    if (!before) throw notFound('alert channel');
    const newConfig = sealedConfig !== undefined;
    const changes = { name, enabled, defaultForNewMonitors, fallbackChannelId, policy, newConfig };
    const channel = change(before, changes, deps.now());
    if (before.broken && channel.enabled) {
      await healChannel(deps, tx, { broken: before, healthy: channel, cause: 'changed' });
    } else await saveChannel(tx, channel);
    if (before.broken && !channel.broken && !channel.enabled) {
      await withdrawBroken(tx, before, channel.updatedAt);
      await dropHeld(tx, channel, { error: 'the channel is disabled', now: channel.updatedAt });
      await appendEvents(tx, [channelHealed(channel)], channel.updatedAt);
    }
    if (before.enabled && !channel.enabled) await closeIncidents(deps, tx, { organizationId, channelId: id });
    if (sealedConfig !== undefined) await replaceConfig(tx, channel, sealedConfig);
    if (holdsBackDifferently(before.policy, channel.policy)) {
      await applyChangedPolicy(deps, tx, channel);
      await resumeReminders(deps, tx, before);
    }
    return channel;
  });
}

/** Checks an update. Resolving hosts is slow, so this runs before any row is locked. A channel's type never changes. */
async function checkUpdate(deps: Deps, channel: Channel, input: ChannelUpdate): Promise<void> {
  const { organizationId, id, name, type, configJson, fallbackChannelId, policy = {} } = input;
  const errors = new FieldErrorCollector();
  const nameProblem = name === undefined ? undefined : problemOfName(name);
  if (nameProblem) errors.add('name', nameProblem);
  if (type !== undefined && type !== channel.type) {
    errors.add('type', `can't be changed; this channel is of type ${channel.type}`);
  }
  if (configJson !== undefined) {
    const kind = requireKind(deps, channel.type, errors);
    if (kind) await checkConfig(kind, configJson, errors);
  }
  checkPolicy(channel.type, policy, errors);
  await checkFallback(deps, { organizationId, id, fallbackChannelId }, errors);
  errors.throwIfAny();
}
