import { countRows } from '@tocsin/database';
import type { LimitName } from '@tocsin/enums';
import { CHANNEL_ROWS } from '../storage/channel-store.ts';
import { SUBSCRIPTION_ROWS } from '../storage/subscription-store.ts';
import type { Deps } from './ports.ts';

/** Returns an organization's usage of the limits that this service enforces. */
export async function countUsage(
  { database }: Deps,
  organizationId: string,
): Promise<Partial<Record<LimitName, number>>> {
  return database.transaction({ organizationId }, async (tx) => ({
    alert_channels: await countRows(tx, organizationId, CHANNEL_ROWS),
    webhook_subscriptions: await countRows(tx, organizationId, SUBSCRIPTION_ROWS),
  }));
}
