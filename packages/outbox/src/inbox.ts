import type { Transaction } from '@tocsin/database';
import type { EventMeta } from './event.ts';
import { EVENT_RETENTION_MS } from './stream.ts';

/** What a fact is to a consumer: the next one, one that it had already, or one whose predecessor is still to come. */
export type Turn = 'next' | 'seen' | 'early';

/**
 * Takes a fact's turn. After `next` the consumer has had it, if the transaction commits.
 *
 * A predecessor that can no longer be in the stream, because it is older than the stream keeps facts, is not waited
 * for.
 */
export async function takeTurn(tx: Transaction, consumer: string, meta: EventMeta, now = new Date()): Promise<Turn> {
  const { aggregateId, sequence, previousAt } = meta;
  const advanced = await tx.query(
    'update inbox set sequence = $3 where consumer = $1 and aggregate_id = $2 and sequence = $3 - 1 returning 1',
    [consumer, aggregateId, sequence],
  );
  if (advanced.length > 0) return 'next';

  const unreachable = previousAt !== undefined && now.getTime() - previousAt.getTime() > EVENT_RETENTION_MS;
  if (sequence === 1 || unreachable) {
    // Waits for a transaction that takes the same turn at this moment, then sees what it did.
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
