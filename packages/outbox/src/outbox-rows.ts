import type pg from 'pg';
import { MAX_EVENT_BYTES } from './event.ts';

/** A row of the outbox as the driver returns it. */
export interface OutboxRow {
  position: string;
  id: string;
  type: string;
  organization_id: string;
  aggregate_id: string;
  sequence: string;
  previous_at: Date | null;
  occurred_at: Date;
  trace: string;
  bytes: number;
  /** Null when it exceeds the reader's limit. */
  payload: Buffer | null;
}

/** A batch ends after this many rows, or before the row that would exceed the bytes, whichever comes first. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 16 * MAX_EVENT_BYTES;

/** Value of `dead_letter.consumer` for events that were never published. */
const RELAY_NAME = 'relay';

export interface OutboxBatch {
  /** In the order in which they were appended; at least one if there is any. */
  readonly rows: readonly OutboxRow[];
  /** Whether more rows can be read without waiting. */
  readonly more: boolean;
}

/** Reads the oldest rows, except those of some aggregates, with payloads of at most `maxPayload` bytes. */
export async function readBatch(
  client: pg.Client,
  exceptAggregates: readonly string[],
  maxPayload: number,
): Promise<OutboxBatch> {
  // octet_length() reads the size of a large value without fetching it.
  const { rows } = await client.query<OutboxRow & { candidates: string }>(
    `with head as (
       select position, octet_length(payload) as bytes from outbox
       where aggregate_id <> all($1::uuid[]) order by position limit $2
     ), sized as (
       select position, bytes, count(*) over () as candidates,
              sum(case when bytes <= $4 then bytes else 0 end) over (order by position) as bytes_read
       from head
     )
     select o.position, o.id, o.type, o.organization_id, o.aggregate_id, o.sequence, o.previous_at, o.occurred_at,
            o.trace, s.bytes, case when s.bytes <= $4 then o.payload end as payload, s.candidates
     from sized s join outbox o using (position)
     where s.bytes_read <= $3 or s.bytes_read = s.bytes order by position`,
    [exceptAggregates, BATCH_ROWS, BATCH_BYTES, maxPayload],
  );
  const candidates = Number(rows[0]?.candidates ?? 0);
  return { rows, more: rows.length < candidates || candidates === BATCH_ROWS };
}

/** When the oldest row was appended; undefined for an empty outbox. */
export async function oldestAt(client: pg.Client): Promise<Date | undefined> {
  const { rows } = await client.query<{ occurred_at: Date }>(
    'select occurred_at from outbox order by position limit 1',
  );
  return rows[0]?.occurred_at;
}

export async function deleteRows(client: pg.Client, rows: readonly OutboxRow[]): Promise<void> {
  await client.query('delete from outbox where position = any($1::bigint[])', [rows.map(({ position }) => position)]);
}

/** Copies a row to `dead_letter`; returns false if it is there already. */
export async function insertDeadLetter(client: pg.Client, { position }: OutboxRow, error: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into dead_letter (consumer, event_id, type, organization_id, aggregate_id, sequence, payload, error)
     select $1, id, type, organization_id, aggregate_id, sequence, payload, $3 from outbox where position = $2
     on conflict do nothing`,
    [RELAY_NAME, position, error],
  );
  return rowCount === 1;
}
