import { type ClaimedDelivery, claimDeliveries } from '../storage/claim-deliveries.ts';
import type { Deps } from './ports.ts';

/** Longer than any attempt takes. What is not recorded by then is taken by another worker, under the same id. */
const LEASE_MS = 30_000;

/** Takes deliveries that are due and leases them to the caller, who makes an attempt at each. */
export async function claimDue(
  { database, now }: Deps,
  share: { limit: number; limitPerRecipient: number; busyRecipients: readonly string[] },
): Promise<ClaimedDelivery[]> {
  return database.transaction('every organization', (tx) => {
    const at = now();
    return claimDeliveries(tx, { ...share, now: at, leasedUntil: new Date(at.getTime() + LEASE_MS) });
  });
}
