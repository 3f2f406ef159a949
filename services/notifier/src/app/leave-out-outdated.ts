import { withoutOutdated } from '../domain/storm.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import { endUnsent } from '../storage/delivery-store.ts';
import { findOvertaking } from '../storage/queued-deliveries.ts';
import type { Deps } from './ports.ts';

const OUTDATED = 'a later message says the newer state';

/**
 * Returns a claimed delivery without the states of monitors of which the channel got a newer one since the delivery was
 * inserted. A message about several monitors and an alert about one of them are not sent in order, so the one that is
 * retried may be outdated. If nothing remains, ends the delivery and returns undefined.
 */
export async function leaveOutOutdated(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  claimed: ClaimedDelivery,
): Promise<ClaimedDelivery | undefined> {
  const { organizationId, attempts, postponed, to } = claimed;
  if (to.kind !== 'channel' || !postponed) return claimed;
  return database.transaction({ organizationId }, async (tx) => {
    const at = now();
    const alert = withoutOutdated(to.alert, await findOvertaking(tx, claimed, to, at));
    if (alert) return { ...claimed, to: { ...to, alert } };
    await endUnsent(tx, claimed, { status: 'grouped', attempts, error: OUTDATED, now: at });
    return undefined;
  });
}
