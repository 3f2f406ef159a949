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

/** What the channels' owner knows of some ids that shall be linked. */
export interface ChannelsToLink {
  /** In lower case, in the order given. */
  readonly ids: readonly string[];
  readonly existing: ReadonlySet<string>;
}

/** Finds out which of some channels exist, before a transaction: no row stays locked meanwhile. */
export async function findChannels(
  deps: Deps,
  organizationId: string,
  ids: readonly string[],
  errors: FieldErrorCollector,
): Promise<ChannelsToLink> {
  if (ids.length === 0 || !checkChannelCount(ids, errors)) return { ids: [], existing: new Set() };
  const existing = new Set(await deps.channels.existing(organizationId, ids.filter(isId)));
  return { ids: ids.map((id) => id.toLowerCase()), existing };
}

/**
 * Returns the channels to link, each once. Adds an error for every id that is not a channel of the organization, unless
 * the monitor is linked to it already: then it was deleted, and a client may write back what it has read.
 *
 * Until the transaction ends, the deletion of a channel waits, so that it finds the new links.
 */
export async function linkChannels(
  tx: Transaction,
  organizationId: string,
  { ids, existing }: ChannelsToLink,
  linked: readonly string[],
  errors: FieldErrorCollector,
): Promise<string[]> {
  if (ids.length === 0) return [];
  await lockChannelLinks(tx, organizationId, 'shared');
  const deleted = await findDeletedChannels(tx, organizationId, ids);
  const isChannel = (id: string) => existing.has(id) && !deleted.has(id);
  for (const [index, id] of ids.entries()) {
    if (isChannel(id) || linked.includes(id)) continue;
    errors.add(`alert_channel_ids.${index}`, 'is not an alert channel of this organization');
  }
  return [...new Set(ids.filter(isChannel))];
}

/** Returns the channels that a monitor gets which names none. */
export async function defaultChannels(deps: Deps, organizationId: string): Promise<ChannelsToLink> {
  const ids = (await deps.channels.defaults(organizationId)).slice(0, MAX_CHANNELS_OF_MONITOR);
  return { ids, existing: new Set(ids) };
}

/** Removes a deleted channel from every monitor of its organization, those included that are linked to it right now. */
export async function unlinkChannel(
  tx: Transaction,
  { organizationId, channelId, now }: { organizationId: string; channelId: string; now: Date },
): Promise<void> {
  await lockChannelLinks(tx, organizationId, 'exclusive');
  await recordDeletedChannel(tx, { organizationId, channelId, now });
  await removeBrokenChannel(tx, { organizationId, channelId });
  await removeLinks(tx, organizationId, channelId);
}

/** Records whether a channel is broken, so that its monitors can say that nobody is alerted. */
export async function recordChannelHealth(
  tx: Transaction,
  { broken, ...channel }: { organizationId: string; channelId: string; broken: boolean },
): Promise<void> {
  await (broken ? recordBrokenChannel(tx, channel) : removeBrokenChannel(tx, channel));
}
