import { isId } from '@tocsin/text';
import { defaultChannelIds, existingChannelIds } from '../storage/channel-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns which of the given ids belong to the organization's channels. For `defaults`, returns the ids of the channels
 * that new monitors get. The oldest channel is first.
 */
export async function resolveChannels(
  { database }: Deps,
  { organizationId, wanted }: { organizationId: string; wanted: readonly string[] | 'defaults' },
): Promise<string[]> {
  return wanted === 'defaults'
    ? defaultChannelIds(database, organizationId)
    : existingChannelIds(database, organizationId, wanted.filter(isId));
}
