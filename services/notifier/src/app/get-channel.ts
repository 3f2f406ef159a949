import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Channel } from '../domain/channel.ts';
import { findChannel } from '../storage/channel-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns a channel.
 * @throws ServiceError `not_found`, including for a channel of another organization.
 */
export async function getChannel(
  { database }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Channel> {
  if (!isId(id)) throw notFound('alert channel');
  const channel = await database.transaction({ organizationId }, (tx) => findChannel(tx, organizationId, id));
  if (!channel) throw notFound('alert channel');
  return channel;
}
