import { markHealthy, recordFailedProbe } from '../domain/channel.ts';
import { HELD_MS } from '../domain/held.ts';
import { lockChannel, saveChannel } from '../storage/channel-store.ts';
import { endLease, insertAttempt, markSent } from '../storage/delivery-store.ts';
import { claimProbes, type DueProbe } from '../storage/probe-store.ts';
import { findForAttempt } from '../storage/queued-deliveries.ts';
import { MAIL_LEASE_MS } from './claim-due.ts';
import { healChannel } from './heal-channel.ts';
import { makeAttempt } from './make-attempt.ts';
import type { Deps } from './ports.ts';
import { recipientOf } from './recipient.ts';
import { recordInTurn } from './record-in-turn.ts';

/** Maximum number of channels that are probed at the same time. */
const BATCH = 8;
/**
 * Probes broken channels, first after 15 minutes and then at growing intervals. A probe is one attempt to send the
 * oldest alert that the channel holds, so channels without held alerts are not probed. A successful probe makes the
 * channel healthy and its other alerts due. The alert is leased meanwhile, so that it is not also sent as a due alert
 * if the channel becomes healthy during the probe.
 */
export async function probeChannels(deps: Deps): Promise<'again' | 'done'> {
  const now = deps.now();
  const claim = {
    now,
    heldSince: new Date(now.getTime() - HELD_MS),
    leasedUntil: new Date(now.getTime() + MAIL_LEASE_MS),
    limit: BATCH,
  };
  const due = await deps.database.transaction('every organization', (tx) => claimProbes(tx, claim));
  await Promise.all(due.map((probe) => probeChannel(deps, probe)));
  return due.length === BATCH ? 'again' : 'done';
}

async function probeChannel(deps: Deps, { channelId, organizationId, deliveryId }: DueProbe): Promise<void> {
  const { database } = deps;
  const claimed = await database.transaction({ organizationId }, (tx) =>
    findForAttempt(tx, organizationId, { id: deliveryId, recipientId: channelId }),
  );
  if (!claimed) return;
  const { outcome, record } = await makeAttempt(deps, claimed, recipientOf(deps, claimed));
  await recordInTurn(deps, organizationId, async (tx) => {
    const channel = await lockChannel(tx, organizationId, channelId);
    if (!channel) return;
    const now = deps.now();
    await insertAttempt(tx, claimed, record);
    if (outcome.kind === 'delivered') {
      await markSent(tx, claimed, now);
      if (channel.broken) {
        await healChannel(deps, tx, { broken: channel, healthy: markHealthy(channel, now), cause: 'delivered' });
      }
    } else {
      await saveChannel(tx, recordFailedProbe(channel, now, deps.retryBaseMs));
      // If a person has repaired the channel meanwhile, the delivery is due.
      await endLease(tx, claimed, now);
    }
  });
}
