import type { Transaction } from '@tocsin/database';
import type { EventMeta } from './event.ts';

/**
 * Whether an event is the next one that the consumer must handle, was handled before, or arrived before its
 * predecessor.
 */
export type Claim = 'next' | 'seen' | 'early';

/**
 * Advances a consumer's cursor to an event if the event is the next one of its aggregate. The event counts as handled
 * if the transaction commits. Does not wait for a predecessor that is older than `keptSince`, because the stream no
 * longer contains the predecessor, unless an earlier event of the aggregate waits in the database.
 */
export async function claimEvent(tx: Transaction, consumer: string, meta: EventMeta, keptSince: Date): Promise<Claim> {
  const { aggregateId, sequence, previousAt } = meta;
  if (sequence > 1) {
    const advanced = await tx.query(
      'update inbox set sequence = $3 where consumer = $1 and aggregate_id = $2 and sequence = $3 - 1 returning 1',
      [consumer, aggregateId, sequence],
    );
    if (advanced.length > 0) return 'next';
  }

  const isOld = previousAt !== undefined && previousAt < keptSince;
  if (sequence === 1 || (isOld && !(await hasEarlierWaiting(tx, consumer, meta)))) {
    // This statement waits for a concurrent transaction with the same event, and then sees its result.
    const taken = await tx.query(
      `insert into inbox (consumer, aggregate_id, sequence) values ($1, $2, $3)
       on conflict (consumer, aggregate_id) do update set sequence = excluded.sequence where inbox.sequence < excluded.sequence
       returning 1`,
      [consumer, aggregateId, sequence],
    );
    return taken.length > 0 ? 'next' : 'seen';
  }
  const [row] = await tx.query<{ sequence: number }>(
    'select sequence from inbox where consumer = $1 and aggregate_id = $2',
    [consumer, aggregateId],
  );
  return row && row.sequence >= sequence ? 'seen' : 'early';
}

async function hasEarlierWaiting(
  tx: Transaction,
  consumer: string,
  { organizationId, aggregateId, sequence }: EventMeta,
): Promise<boolean> {
  const rows = await tx.query(
    `select from waiting_event where organization_id = $1 and consumer = $2 and aggregate_id = $3 and sequence < $4
     limit 1`,
    [organizationId, consumer, aggregateId, sequence],
  );
  return rows.length > 0;
}

/**
 * Advances a consumer's cursor to several events of different aggregates, if each is the next one of its aggregate.
 * Returns false if one of them is not; the caller must then roll back the transaction.
 */
export async function claimEvents(tx: Transaction, consumer: string, metas: readonly EventMeta[]): Promise<boolean> {
  // The order is the same for all consumers, to avoid deadlocks.
  const sorted = metas.toSorted((a, b) => (a.aggregateId < b.aggregateId ? -1 : 1));
  const first = sorted.filter(({ sequence }) => sequence === 1).map(({ aggregateId }) => aggregateId);
  const later = sorted.filter(({ sequence }) => sequence > 1);
  const claimed = await Promise.all([
    first.length === 0
      ? []
      : // This statement waits for a concurrent transaction with the same event, and then sees its result.
        tx.query<Claimed>(
          `with claimed as (
             insert into inbox (consumer, aggregate_id, sequence) select $1, id, 1 from unnest($2::uuid[]) as t(id)
             on conflict (consumer, aggregate_id) do nothing returning 1
           ) select count(*) as events from claimed`,
          [consumer, first],
        ),
    later.length === 0
      ? []
      : tx.query<Claimed>(
          `with claimed as (
             update inbox set sequence = t.sequence from unnest($2::uuid[], $3::bigint[]) as t(id, sequence)
             where consumer = $1 and aggregate_id = t.id and inbox.sequence = t.sequence - 1 returning 1
           ) select count(*) as events from claimed`,
          [consumer, later.map(({ aggregateId }) => aggregateId), later.map(({ sequence }) => sequence)],
        ),
  ]);
  return claimed.flat().reduce((sum, { events }) => sum + events, 0) === metas.length;
}

interface Claimed {
  readonly events: number;
}
