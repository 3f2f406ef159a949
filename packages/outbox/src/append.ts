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
 * Numbers and inserts the events `$1` to `$5` with the traces `$7`, in their order, at the time `$6`. The rows of their
 * aggregates are locked in the order of the ids, so that transactions with the same aggregates lock them in the same
 * order. `advanced` counts the rows of `previous` so that these are locked and read before they are changed.
 */
const APPEND = `with event as materialized (
     select *, row_number() over (partition by aggregate_id order by ordinality) as ordinal,
       count(*) over (partition by aggregate_id) as events
     from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::bytea[], $7::text[])
       with ordinality as t(id, type, organization_id, aggregate_id, payload, trace, ordinality)
   ), previous as materialized (
     select aggregate_id, last_at from outbox_sequence where aggregate_id = any($4::uuid[]) order by aggregate_id for update
   ), advanced as (
     insert into outbox_sequence (aggregate_id, last, last_at)
     select aggregate_id, events, $6::timestamptz from event
     where ordinal = 1 and (select count(*) from previous) >= 0 order by aggregate_id
     on conflict (aggregate_id) do update set last = outbox_sequence.last + excluded.last, last_at = excluded.last_at
     returning aggregate_id, last
   ), numbered as (
     select event.*, advanced.last - event.events + event.ordinal as sequence, previous.last_at
     from event join advanced using (aggregate_id) left join previous using (aggregate_id)
   ), appended as (
     insert into outbox (id, type, organization_id, aggregate_id, sequence, previous_at, payload, occurred_at, trace)
     select id, type, organization_id, aggregate_id, sequence,
       case when sequence = 1 then null when ordinal = 1 then coalesce(last_at, $6) else $6 end, payload, $6, trace
     from numbered order by ordinality
   )
   select pg_notify(${WAKE_CHANNEL_SQL}, '')`;

/**
 * Inserts events in the transaction that makes the change. The events are published only if the transaction commits.
 * The events of one aggregate are numbered without gaps, in the order of the commits. Costs no round trip: the
 * statement is sent without waiting for its result (see Transaction.send).
 * @throws EventTooLargeError before any row is written.
 */
export async function appendEvents(tx: Transaction, events: readonly OutgoingEvent[], now = new Date()): Promise<void> {
  if (events.length === 0) return;
  const tooLarge = events.find(({ payload }) => payload.length > MAX_EVENT_BYTES);
  if (tooLarge) throw new EventTooLargeError(tooLarge);
  const current = currentTrace();
  tx.send(APPEND, [
    events.map(({ id }) => id),
    events.map(({ type }) => type),
    events.map(({ organizationId }) => organizationId),
    events.map(({ aggregateId }) => aggregateId),
    events.map(({ payload }) => Buffer.from(payload)),
    now,
    events.map(({ trace = current }) => trace),
  ]);
}

/** Returns the current trace as a `traceparent` header, which is stored with events; empty without a trace. */
export function currentTrace(): string {
  return traceHeaders().traceparent ?? '';
}
