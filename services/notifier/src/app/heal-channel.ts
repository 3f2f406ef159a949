import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import type { Channel } from '../domain/channel.ts';
import { HELD_MS } from '../domain/held.ts';
import { channelHealed } from '../events/outgoing.ts';
import { saveChannel } from '../storage/channel-store.ts';
import { releaseHeld } from '../storage/held-store.ts';
import type { Deps } from './ports.ts';

/** Saves a channel that is healthy again, makes its held alerts due, and publishes the recovery of the channel. */
export async function healChannel({ now }: Deps, tx: Transaction, broken: Channel, healthy: Channel): Promise<void> {
  await saveChannel(tx, healthy);
  const time = now();
  await releaseHeld(tx, broken, { since: new Date(time.getTime() - HELD_MS), now: time });
  await appendEvents(tx, [channelHealed(healthy)], time);
}
