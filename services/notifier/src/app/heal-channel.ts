import type { Transaction } from '@tocsin/database';
import type { Channel } from '../domain/channel.ts';
import { saveChannel } from '../storage/channel-store.ts';
import { releaseHeld } from '../storage/held-store.ts';
import type { Deps } from './ports.ts';

/** Alerts that a broken channel holds are delivered late, if it is healthy again by then. */
const HELD_MS = 24 * 3_600_000;

/** Saves a channel that is healthy again, and makes the alerts that it holds due. */
export async function healChannel({ now }: Deps, tx: Transaction, broken: Channel, healthy: Channel): Promise<void> {
  await saveChannel(tx, healthy);
  const time = now();
  await releaseHeld(tx, broken, { since: new Date(time.getTime() - HELD_MS), now: time });
}
