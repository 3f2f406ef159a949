import type { LaneEntry } from '../domain/delivery-shares.ts';
import { type ClaimedDelivery, claimDeliveries } from '../storage/claim-deliveries.ts';
import type { Deps } from './ports.ts';

/** Longer than any attempt takes. What is not recorded by then is claimed again, under the same id. */
const LEASE_MS = 30_000;

/** Leases deliveries that are due to the caller, who makes an attempt at each. */
export async function claimDue({ database, now }: Deps, running: readonly LaneEntry[]): Promise<ClaimedDelivery[]> {
  return database.transaction('every organization', (tx) => {
    const at = now();
    return claimDeliveries(tx, { running, now: at, leasedUntil: new Date(at.getTime() + LEASE_MS) });
  });
}
