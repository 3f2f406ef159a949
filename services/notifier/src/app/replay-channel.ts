import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { incidentOfAlert, isPager } from '../domain/incident.ts';
import { getsMails } from '../domain/mail-recipient.ts';
import { MAX_REPLAYED, problemOfSince } from '../domain/replay.ts';
import { lockChannel } from '../storage/channel-store.ts';
import { makeDueAgain } from '../storage/held-store.ts';
import { findOpenKeys } from '../storage/incident-store.ts';
import { type DeliveryOfAlert, findUnsent } from '../storage/queued-deliveries.ts';
import { listRecipients } from './channel-recipients.ts';
import { getChannel } from './get-channel.ts';
import type { Deps } from './ports.ts';

/**
 * Resends alerts that a channel did not receive since the given time, oldest first and with a note that they are sent
 * late. Channels that page people do not get alerts about ended outages, because these alerts would open incidents.
 * Returns the number of deliveries that are due again.
 * @throws ServiceError `not_found`, `invalid` if the time is too long ago, `conflict` while the channel is disabled or
 * no recipient has confirmed.
 */
export async function replayChannel(
  deps: Deps,
  { organizationId, id, since }: { organizationId: string; id: string; since: Date },
): Promise<number> {
  const { database, now } = deps;
  const recipients = await listRecipients(deps, await getChannel(deps, { organizationId, id }));
  return database.transaction({ organizationId }, async (tx) => {
    const channel = await lockChannel(tx, organizationId, id);
    if (!channel) throw notFound('alert channel');
    const problem = problemOfSince(since, now());
    if (problem) throw invalid({ since: [problem] });
    if (!channel.enabled) {
      const state = channel.broken ? `broken (${channel.broken.reason})` : 'disabled';
      throw new ServiceError('conflict', `the alert channel is ${state}: PATCH it with {"enabled": true} first`);
    }
    if (recipients.length > 0 && !recipients.some(getsMails)) {
      throw new ServiceError(
        'conflict',
        'no recipient of the alert channel has confirmed: nobody would get the alerts',
      );
    }
    const statuses = ['failed', 'dropped', 'held'] as const;
    const unsent = await findUnsent(tx, { organizationId, channelId: id }, { since, statuses, limit: MAX_REPLAYED });
    const isWanted = isPager(channel.type) ? opensNothingOver(await findOpenKeys(tx, organizationId, id)) : () => true;
    const ids = unsent.filter(isWanted).map(({ deliveryId }) => deliveryId);
    return makeDueAgain(tx, { ids, organizationId }, now());
  });
}

function opensNothingOver(open: ReadonlySet<string>): (delivery: DeliveryOfAlert) => boolean {
  return ({ alert }) => {
    const { key, isOver } = incidentOfAlert(alert);
    return isOver || open.has(key);
  };
}
