import type { NatsConnection } from '@nats-io/transport-node';
import { type Database, LONG_STATEMENTS, type Transaction } from '@tocsin/database';
import { EVENT_RETENTION_MS } from './stream.ts';
import { firstEventTime } from './stream-reach.ts';

const DAY_MS = 86_400_000;

/**
 * How long a position is kept after the last event of its aggregate, in milliseconds: longer than the stream keeps the
 * event, so that it can't be delivered again, and that the next event does not wait for it.
 */
const KEPT_MS = EVENT_RETENTION_MS + 2 * DAY_MS;

/** Time between two calls of deleteOldPositions(), in milliseconds. */
export const OLD_POSITIONS_EVERY_MS = 6 * 3_600_000;

/** Maximum number of rows of a table that one call deletes. */
const BATCH = 10_000;

export interface OldPositions {
  readonly database: Pick<Database, 'transaction'>;
  readonly nats: NatsConnection;
  /** Tables with the aggregates of the service, whose column `id` is the id of the aggregate. */
  readonly aggregates: readonly string[];
}

/**
 * Deletes the positions in the events of aggregates that the service no longer needs, which would otherwise remain for
 * each monitor or disruption that ever existed: the cursors of consumers whose last event the stream no longer
 * contains, and the numbers of events of aggregates that were deleted. Decides by the clock of the database and by the
 * oldest event of the stream, so that a clock that is wrong deletes nothing that is needed.
 * @returns 'again' if there may be more to delete.
 */
export async function deleteOldPositions({ database, nats, aggregates }: OldPositions): Promise<'again' | 'done'> {
  const firstEventAt = await firstEventTime(nats);
  if (!firstEventAt) return 'done';
  const before = new Date(firstEventAt.getTime() - DAY_MS);
  const deleted = await database.transaction(
    'every organization',
    async (tx) => [await deleteCursors(tx, before), await deleteNumbers(tx, before, aggregates)],
    LONG_STATEMENTS,
  );
  return deleted.includes(BATCH) ? 'again' : 'done';
}

/** SQL expression for the time before which a position is old. `$1` is a time before the first event of the stream. */
const OLD_BEFORE = `least($1::timestamptz, now() - make_interval(secs => ${KEPT_MS / 1_000}))`;

/**
 * Deletes cursors. The next event of such an aggregate creates its cursor again, because its predecessor is older than
 * the stream.
 */
async function deleteCursors(tx: Transaction, before: Date): Promise<number> {
  const deleted = await tx.query(
    `delete from inbox where ctid = any(array(
       select ctid from inbox where handled_on < ${OLD_BEFORE}::date limit $2 for update skip locked)) returning 1`,
    [before, BATCH],
  );
  return deleted.length;
}

/** Deletes the numbers of events of aggregates that are in none of the tables. They have no more events. */
async function deleteNumbers(tx: Transaction, before: Date, aggregates: readonly string[]): Promise<number> {
  if (aggregates.length === 0) return 0;
  const isGone = aggregates
    .map((table) => `not exists (select from ${table} one where one.id = outbox_sequence.aggregate_id)`)
    .join(' and ');
  const deleted = await tx.query(
    `delete from outbox_sequence where ctid = any(array(
       select ctid from outbox_sequence where last_at < ${OLD_BEFORE} and ${isGone} limit $2 for update skip locked))
     returning 1`,
    [before, BATCH],
  );
  return deleted.length;
}
