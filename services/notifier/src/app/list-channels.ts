import type { Paging, Part } from '@tocsin/paging';
import type { Channel } from '../domain/channel.ts';
import { type ChannelFilter, listChannels as findPart } from '../storage/channel-store.ts';
import type { Deps } from './ports.ts';

/** Returns the organization's channels that match the filter, newest first. */
export async function listChannels(
  { database }: Deps,
  { organizationId, filter, paging }: { organizationId: string; filter: ChannelFilter; paging: Paging },
): Promise<Part<Channel>> {
  return database.transaction({ organizationId }, (tx) => findPart(tx, organizationId, filter, paging));
}
