import type { Transaction } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { traceHeaders } from '@tocsin/runtime';
import { MAX_EVENT_BYTES, type OutgoingEvent } from './event.ts';

/** SQL for the name of the NOTIFY channel that wakes the service's relay. */
export const WAKE_CHANNEL_SQL = `'tocsin_outbox_' || current_schema()`;

/** Error for an event larger than MAX_EVENT_BYTES. Its kind is `invalid`, so that the request fails. */
export class EventTooLargeError extends ServiceError {
  constructor({ type, payload }: OutgoingEvent) {
    const size = `${payload.length} bytes, and at most ${MAX_EVENT_BYTES} are allowed`;
    super('invalid', `the change is too large to be published: ${type} has ${size}; shorten its texts or lists`);
  }
}

/**
 * Inserts events in the transaction that makes the change. The events are published only if the transaction commits.
 * The events of one aggregate are numbered without gaps, in the order of the commits.
 * @throws EventTooLargeError before any row is written.
 */
export async function appendEvents(tx: Transaction, events: readonly OutgoingEvent[], now = new Date()): Promise<void> {
  if (events.length === 0) return;
  const tooLarge = events.find(({ payload }) => payload.length > MAX_EVENT_BYTES);
  if (tooLarge) throw new EventTooLargeError(tooLarge);
  const counts = new Map<string, number>();
  for (const { aggregateId } of events) counts.set(aggregateId, (counts.get(aggregateId) ?? 0) + 1);
  // Sort, so that transactions with the same aggregates lock them in the same order.
  const aggregates = [...counts.keys()].sort();

  const [previous, advanced] = await Promise.all([
    tx.query<{ aggregate_id: string; last: number; last_at: Date }>(
      'select aggregate_id, last, last_at from outbox_sequence where aggregate_id = any($1) order by aggregate_id for update',
      [aggregates],
    ),
    tx.query<{ aggregate_id: string; last: number }>(
      `insert into outbox_sequence (aggregate_id, last, last_at)
       select aggregate_id, events, $3 from unnest($1::uuid[], $2::bigint[]) as t(aggregate_id, events)
       on conflict (aggregate_id) do update set last = outbox_sequence.last + excluded.last, last_at = excluded.last_at
       returning aggregate_id, last`,
      [aggregates, aggregates.map((id) => counts.get(id)), now],
    ),
  ]);
  const next = new Map(advanced.map((row) => [row.aggregate_id, row.last - (counts.get(row.aggregate_id) ?? 0) + 1]));
  const previousAt = new Map(previous.map((row) => [row.aggregate_id, row.last_at]));

  const numbered = events.map((event) => {
    const sequence = next.get(event.aggregateId) ?? 1;
    next.set(event.aggregateId, sequence + 1);
    const before = sequence === 1 ? undefined : (previousAt.get(event.aggregateId) ?? now);
    previousAt.set(event.aggregateId, now);
    return { ...event, sequence, previousAt: before };
  });
  tx.send(
    `with appended as (
       insert into outbox (id, type, organization_id, aggregate_id, sequence, previous_at, payload, occurred_at, trace)
       select *, $8::timestamptz, $9
       from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::bigint[], $6::timestamptz[], $7::bytea[])
     )
     select pg_notify(${WAKE_CHANNEL_SQL}, '')`,
    [
      numbered.map((event) => event.id),
      numbered.map((event) => event.type),
      numbered.map((event) => event.organizationId),
      numbered.map((event) => event.aggregateId),
      numbered.map((event) => event.sequence),
      numbered.map((event) => event.previousAt ?? null),
      numbered.map((event) => Buffer.from(event.payload)),
      now,
      traceHeaders().traceparent ?? '',
    ],
  );
}
