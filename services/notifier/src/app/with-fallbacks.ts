import type { Transaction } from '@tocsin/database';
import { findFallbacks } from '../storage/channel-store.ts';

/** Adds the fallbacks of the channels, because they get the alerts of broken channels and open incidents for them. */
export async function withFallbacks(
  tx: Transaction,
  organizationId: string,
  channelIds: readonly string[],
): Promise<readonly string[]> {
  return [...channelIds, ...(await findFallbacks(tx, organizationId, channelIds))];
}
