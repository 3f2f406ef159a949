import type { Transaction } from '@tocsin/database';

/** A broken channel with a due probe, and the oldest delivery that the channel holds. */
export interface DueProbe {
  readonly channelId: string;
  readonly organizationId: string;
  readonly deliveryId: string;
}

/**
 * SQL expression for the time at which claimProbes() finds a channel. It includes broken channels that hold no
 * delivery.
 */
export const PROBE_DUE = '(select min(probe_at) from channel where broken_at is not null)';

/**
 * Claims broken channels that have a due probe and hold a delivery that was inserted at `heldSince` or later. Leases
 * the oldest such delivery of each. Other replicas cannot claim the same channels, or send these deliveries, before
 * `leasedUntil`.
 */
export async function claimProbes(
  tx: Transaction,
  { now, heldSince, leasedUntil, limit }: { now: Date; heldSince: Date; leasedUntil: Date; limit: number },
): Promise<DueProbe[]> {
  const rows = await tx.query<{ id: string; organization_id: string; delivery_id: string }>(
    `with due as (
       select c.id from channel c where c.broken_at is not null and c.probe_at <= $1
         and exists (select from delivery d where d.channel_id = c.id and d.status = 'held' and d.created_at >= $2)
       order by c.probe_at limit $4 for update skip locked
     ), claimed as (
       update channel set probe_at = $3 where id in (select id from due) returning id, organization_id
     ), found as (
       select id, organization_id, (
         select d.id from delivery d where d.channel_id = claimed.id and d.status = 'held' and d.created_at >= $2
         order by d.position limit 1
       ) as delivery_id from claimed
     ), leased as (
       update delivery set leased_until = $3
       where id in (select delivery_id from found) and status = 'held' returning id
     )
     select found.* from found join leased on leased.id = found.delivery_id`,
    [now, heldSince, leasedUntil, limit],
  );
  return rows.map((row) => ({
    channelId: row.id,
    organizationId: row.organization_id,
    deliveryId: row.delivery_id,
  }));
}
