import type { Database } from '@tocsin/database';
import { type Claim, claimDeliveries } from '../storage/claim-deliveries.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import type { Deps } from './ports.ts';

/**
 * Duration of a lease. Must be longer than any attempt, except those that send emails. If the lease ends before an
 * attempt is recorded, the attempt is repeated under the same id.
 */
const LEASE_MS = 30_000;
/** Duration of a lease of a delivery by email. Emails wait for a connection to the SMTP server: see SendMail. */
export const MAIL_LEASE_MS = 90_000;

/**
 * Leases due deliveries to the caller. The caller must attempt each of them. The commit does not wait for the disk: if
 * PostgreSQL crashes and loses a lease, another replica may repeat the attempt under the same id, as after a crash of
 * the caller.
 */
export async function claimDue(
  { database, now }: Pick<Deps, 'now'> & { readonly database: Pick<Database, 'transaction'> },
  { running, unrecorded }: Pick<Claim, 'running' | 'unrecorded'>,
): Promise<ClaimedDelivery[]> {
  return database.transaction('every organization', (tx) => {
    tx.send('set local synchronous_commit to off');
    const at = now();
    const endOf = (leaseMs: number) => new Date(at.getTime() + leaseMs);
    return claimDeliveries(tx, {
      running,
      unrecorded,
      now: at,
      leasedUntil: endOf(LEASE_MS),
      mailLeasedUntil: endOf(MAIL_LEASE_MS),
    });
  });
}
