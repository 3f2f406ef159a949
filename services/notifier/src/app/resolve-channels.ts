import { isId } from '@tocsin/text';
import { defaultChannelIds, existingChannelIds } from '../storage/channel-store.ts';
import type { Deps } from './ports.ts';

/** Those of the ids that are channels of the organization, or the channels that new monitors get; oldest first. */
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
