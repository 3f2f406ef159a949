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
  /** Payload; null if it exceeds the reader's limit. */
  payload: Buffer | null;
}

/** Maximum number of rows in a batch, and maximum total size of their payloads. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 16 * MAX_EVENT_BYTES;

/**
 * Maximum number and size of one organization's rows in a batch, so that other organizations do not wait for the
 * backlog of this organization.
 */
const ORGANIZATION_ROWS = 200;
const ORGANIZATION_BYTES = 2 * MAX_EVENT_BYTES;

/** Value of `dead_letter.consumer` for events that were never published. */
const RELAY_NAME = 'relay';

export interface OutboxBatch {
  /**
   * Rows of each organization in the order in which they were appended. Contains at least one row if any row can be
   * read.
   */
  readonly rows: readonly OutboxRow[];
  /** Whether more rows can be read immediately. */
  readonly more: boolean;
}

/**
 * Reads the oldest rows of each organization. Skips rows of the aggregates `exceptAggregates`. Payloads of more than
 * `maxPayload` bytes are null.
 */
export async function readBatch(
  client: pg.Client,
  exceptAggregates: readonly string[],
  maxPayload: number,
): Promise<OutboxBatch> {
  const { rows } = await client.query<OutboxRow & { candidates: string; cut: boolean }>({
    name: 'tocsin_read_batch',
    text: READ_BATCH,
    values: [exceptAggregates, maxPayload],
  });
  const [first] = rows;
  return { rows, more: first !== undefined && (first.cut || rows.length < Number(first.candidates)) };
}

/**
 * Reads a batch. The limits are constants, so that the planner knows them in the plan that all calls share. The
 * recursion reads one index entry per organization, regardless of the number of rows. octet_length() reads the size of
 * a large value without fetching the value.
 */
const READ_BATCH = `with recursive organization as (
     (select organization_id as id from outbox order by organization_id limit 1)
     union all
     select (select o.organization_id from outbox o where o.organization_id > organization.id
             order by o.organization_id limit 1)
     from organization where organization.id is not null
   ), head as (
     select organization.id as organization_id, oldest.* from organization cross join lateral (
       select position, octet_length(payload) as bytes from outbox
       where organization_id = organization.id and aggregate_id <> all($1::uuid[]) order by position limit ${ORGANIZATION_ROWS}
     ) oldest
   ), own as (
     select position, bytes, case when bytes <= $2::integer then bytes else 0 end as read_bytes,
            row_number() over of_organization as turn,
            sum(case when bytes <= $2::integer then bytes else 0 end) over of_organization as own_bytes
     from head window of_organization as (partition by organization_id order by position)
   ), sized as (
     select position, bytes, turn, sum(read_bytes) over (order by turn, position) as bytes_read, read_bytes,
            (select count(*) from own) as candidates, (select max(turn) = ${ORGANIZATION_ROWS} from own) as cut
     from own where own_bytes <= ${ORGANIZATION_BYTES} or turn = 1 order by turn, position limit ${BATCH_ROWS}
   )
   select o.position, o.id, o.type, o.organization_id, o.aggregate_id, o.sequence, o.previous_at, o.occurred_at,
          o.trace, s.bytes, case when s.bytes <= $2::integer then o.payload end as payload, s.candidates, s.cut
   from sized s join outbox o using (position)
   where s.bytes_read <= ${BATCH_BYTES} or s.bytes_read = s.read_bytes order by s.turn, s.position`;

/** Returns the time at which the oldest row was appended; undefined for an empty outbox. */
export async function oldestAt(client: pg.Client): Promise<Date | undefined> {
  const { rows } = await client.query<{ occurred_at: Date }>(
    'select occurred_at from outbox order by position limit 1',
  );
  return rows[0]?.occurred_at;
}

/** Copies a row to `dead_letter`. Returns false if the row is already there. */
export async function insertDeadLetter(client: pg.Client, { position }: OutboxRow, error: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into dead_letter (consumer, event_id, type, organization_id, aggregate_id, sequence, payload, error)
     select $1, id, type, organization_id, aggregate_id, sequence, payload, $3 from outbox where position = $2
     on conflict do nothing`,
    [RELAY_NAME, position, error],
  );
  return rowCount === 1;
}
