import { isId } from '@tocsin/text';
import { defaultChannelIds, existingChannelIds } from '../storage/channel-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns the ids that belong to channels of the organization, or for `defaults` the channels of new monitors; oldest
 * first.
 */
export async function resolveChannels(
  { database }: Deps,
  { organizationId, wanted }: { organizationId: string; wanted: readonly string[] | 'defaults' },
): Promise<string[]> {
  return database.transaction({ organizationId }, (tx) =>
    wanted === 'defaults'
      ? defaultChannelIds(tx, organizationId)
      : existingChannelIds(tx, organizationId, wanted.filter(isId)),
  );
}
