import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import type { Channel } from '../domain/channel.ts';
import { HELD_MS } from '../domain/held.ts';
import { decideRelease, textOfHold } from '../domain/hold-back.ts';
import { isPager } from '../domain/incident.ts';
import { quietUntil } from '../domain/quiet-hours.ts';
import { channelHealed } from '../events/outgoing.ts';
import { saveChannel } from '../storage/channel-store.ts';
import { releaseHeld } from '../storage/held-store.ts';
import { holdBack, lockHours, saveHours } from '../storage/hold-store.ts';
import type { Deps } from './ports.ts';

/**
 * Saves a channel that is healthy again, makes its held alerts due, and publishes the recovery of the channel. During
 * quiet hours the alerts wait until these end. If there are more alerts than the hourly limit allows, one message names
 * all of them.
 */
export async function healChannel(deps: Deps, tx: Transaction, broken: Channel, healthy: Channel): Promise<void> {
  await saveChannel(tx, healthy);
  const now = deps.now();
  const released = await releaseHeld(tx, broken, { since: new Date(now.getTime() - HELD_MS), now });
  if (released.length > 0 && !isPager(healthy.type)) await applyPolicy(deps, tx, healthy, released, now);
  await appendEvents(tx, [channelHealed(healthy)], now);
}

async function applyPolicy(
  { maxMessagesPerHour }: Deps,
  tx: Transaction,
  { id, organizationId, policy }: Channel,
  released: readonly string[],
  now: Date,
): Promise<void> {
  const hours = await lockHours(tx, { organizationId, now }, [id]);
  const state = {
    quietUntil: policy.quietHours && quietUntil(policy.quietHours, now),
    hour: hours.get(id),
    limit: policy.maxMessagesPerHour ?? maxMessagesPerHour,
  };
  const { hold, hour } = decideRelease(released.length, state, now);
  if (hour) await saveHours(tx, new Map([[id, hour]]));
  if (hold) await holdBack(tx, released, { hold, error: textOfHold(hold), now });
}
