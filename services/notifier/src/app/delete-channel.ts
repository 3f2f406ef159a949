import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { channelDeleted } from '../events/outgoing.ts';
import { lockChannel, removeChannel, retireChannel } from '../storage/channel-store.ts';
import { hasOpenIncidents } from '../storage/incident-store.ts';
import { unlinkDeletedChannel } from '../storage/watched-monitor-store.ts';
import { closeIncidents } from './close-incidents.ts';
import { withdrawBroken } from './heal-channel.ts';
import type { Deps } from './ports.ts';

/**
 * Deletes a channel with its waiting deliveries. If the channel opened incidents at an on-call service, its
 * configuration stays stored until these incidents are closed.
 * @throws ServiceError `not_found`.
 */
export async function deleteChannel(
  deps: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  if (!isId(id)) throw notFound('alert channel');
  const { database, now } = deps;
  await database.transaction({ organizationId }, async (tx) => {
    const channel = await lockChannel(tx, organizationId, id);
    if (!channel) throw notFound('alert channel');
    await withdrawBroken(tx, channel, now());
    if (await hasOpenIncidents(tx, organizationId, id)) {
      await retireChannel(tx, channel, now());
      await closeIncidents(deps, tx, { organizationId, channelId: id });
    } else await removeChannel(tx, organizationId, id);
    await unlinkDeletedChannel(tx, { organizationId, channelId: id, now: now() });
    await appendEvents(tx, [channelDeleted({ id, organizationId })], now());
  });
}
