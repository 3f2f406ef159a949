import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { channelDeleted } from '../events/outgoing.ts';
import { removeChannel } from '../storage/channel-store.ts';
import { unlinkDeletedChannel } from '../storage/watched-monitor-store.ts';
import type { Deps } from './ports.ts';

/** Deletes a channel with what was still to be sent there. @throws ServiceError `not_found`. */
export async function deleteChannel(
  { database, now }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  if (!isId(id)) throw notFound('alert channel');
  await database.transaction({ organizationId }, async (tx) => {
    if (!(await removeChannel(tx, organizationId, id))) throw notFound('alert channel');
    await unlinkDeletedChannel(tx, { organizationId, channelId: id, now: now() });
    await appendEvents(tx, [channelDeleted({ id, organizationId })], now());
  });
}
