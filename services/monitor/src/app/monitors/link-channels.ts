import type { Transaction } from '@tocsin/database';
import { MAX_CHANNELS_OF_MONITOR } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { checkChannelCount } from '../../domain/monitors/limits.ts';
import {
  findDeletedChannels,
  lockChannelLinks,
  recordBrokenChannel,
  recordDeletedChannel,
  removeBrokenChannel,
} from '../../storage/monitors/channel-link-store.ts';
import { unlinkChannel as removeLinks } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';

/** Channel ids in a request, and which of them exist in the notifier service. */
export interface ChannelsToLink {
  /** Ids in lower case, in the order of the request. */
  readonly ids: readonly string[];
  readonly existing: ReadonlySet<string>;
}

/** Channel ids in a request for one monitor. */
export interface RequestedChannels {
  readonly ids: readonly string[];
  readonly errors: FieldErrorCollector;
}

/**
 * Determines which channels of the requests exist, with a single call to the notifier. Must be called before the
 * transaction, so that no row is locked during the call.
 */
export async function findChannels(
  deps: Deps,
  organizationId: string,
  requests: readonly RequestedChannels[],
): Promise<ChannelsToLink[]> {
  const counted = requests.map(({ ids, errors }) => (checkChannelCount(ids, errors) ? ids : []));
  const wanted = [...new Set(counted.flat().filter(isId))];
  const existing = new Set(wanted.length === 0 ? [] : await deps.channels.existing(organizationId, wanted));
  return counted.map((ids) => ({ ids: ids.map((id) => id.toLowerCase()), existing }));
}

/** Channels that a request links to a monitor, with the channels that are already linked to the monitor. */
export interface LinksToSet {
  readonly channels: ChannelsToLink;
  readonly linked: readonly string[];
  readonly errors: FieldErrorCollector;
}

/**
 * Returns the channels to link to each monitor, without duplicates. Adds an error for each id that is not a channel of
 * the organization. The id of a channel that is already linked to the monitor causes no error, because the client may
 * send back a list that it read before the channel was deleted. Channel deletions wait until the transaction ends, so
 * that they find the new links.
 */
export async function linkChannels(
  tx: Transaction,
  organizationId: string,
  links: readonly LinksToSet[],
): Promise<string[][]> {
  const wanted = [...new Set(links.flatMap(({ channels }) => channels.ids))];
  if (wanted.length === 0) return links.map(() => []);
  await lockChannelLinks(tx, organizationId, 'shared');
  const deleted = await findDeletedChannels(tx, organizationId, wanted);
  return links.map(({ channels: { ids, existing }, linked, errors }) => {
    const isChannel = (id: string) => existing.has(id) && !deleted.has(id);
    for (const [index, id] of ids.entries()) {
      if (isChannel(id) || linked.includes(id)) continue;
      errors.add(`alert_channel_ids.${index}`, 'is not an alert channel of this organization');
    }
    return [...new Set(ids.filter(isChannel))];
  });
}

/** Returns the default channels, which a new monitor gets if its request does not list channels. */
export async function defaultChannels(deps: Deps, organizationId: string): Promise<ChannelsToLink> {
  const ids = (await deps.channels.defaults(organizationId)).slice(0, MAX_CHANNELS_OF_MONITOR);
  return { ids, existing: new Set(ids) };
}

/**
 * Removes a deleted channel from all monitors of its organization, including monitors that concurrent requests link to
 * it.
 */
export async function unlinkChannel(
  tx: Transaction,
  { organizationId, channelId, now }: { organizationId: string; channelId: string; now: Date },
): Promise<void> {
  await lockChannelLinks(tx, organizationId, 'exclusive');
  await recordDeletedChannel(tx, { organizationId, channelId, now });
  await removeBrokenChannel(tx, { organizationId, channelId });
  await removeLinks(tx, organizationId, channelId);
}

/** Records whether a channel is broken, so that a monitor can show that all of its channels are broken. */
export async function recordChannelHealth(
  tx: Transaction,
  { broken, ...channel }: { organizationId: string; channelId: string; broken: boolean },
): Promise<void> {
  await (broken ? recordBrokenChannel(tx, channel) : removeBrokenChannel(tx, channel));
}
