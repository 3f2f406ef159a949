import type { LaneEntry } from '../domain/delivery-shares.ts';
import { type ClaimedDelivery, claimDeliveries } from '../storage/claim-deliveries.ts';
import type { Deps } from './ports.ts';

/** Longer than any attempt takes. An attempt that is not recorded by then is repeated, under the same id. */
const LEASE_MS = 30_000;

/** Leases due deliveries to the caller, which makes an attempt at each. */
export async function claimDue({ database, now }: Deps, running: readonly LaneEntry[]): Promise<ClaimedDelivery[]> {
  return database.transaction('every organization', (tx) => {
    const at = now();
    return claimDeliveries(tx, { running, now: at, leasedUntil: new Date(at.getTime() + LEASE_MS) });
  });
}
