import type { Channel } from '../domain/channel.ts';
import { listChannels as findAll } from '../storage/channel-store.ts';
import type { Deps } from './ports.ts';

/** The organization's channels, newest first. */
export async function listChannels(
  { database }: Deps,
  { organizationId }: { organizationId: string },
): Promise<Channel[]> {
  return database.transaction({ organizationId }, (tx) => findAll(tx, organizationId));
}
