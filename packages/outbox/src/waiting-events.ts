import type { Database } from '@tocsin/database';
import type { EventMeta } from './event.ts';

/** An event in the table `waiting_event`. */
export interface WaitingEvent {
  /** Position in the table, from 1. */
  readonly position: number;
  readonly meta: EventMeta;
  readonly trace: string;
  readonly payload: Uint8Array;
  /** Number of the last event of the aggregate that the consumer has handled; 0 if it has handled none. */
  readonly handled: number;
}

/** An event that is to be stored. */
export type NewEvent = Omit<WaitingEvent, 'position' | 'handled'>;

const STORE = `
  insert into waiting_event
    (consumer, organization_id, id, type, aggregate_id, sequence, previous_at, occurred_at, trace, payload)
  select $1, * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::bigint[], $7::timestamptz[],
    $8::timestamptz[], $9::text[], $10::bytea[])`;

/**
 * Stores events of a consumer, in their order.
 * @throws ServiceError `unavailable` if the database does not respond.
 */
export async function storeEvents(database: Database, consumer: string, events: readonly NewEvent[]): Promise<void> {
  const metas = events.map(({ meta }) => meta);
  await database.transaction('every organization', (tx) =>
    tx.query(STORE, [
      consumer,
      metas.map(({ organizationId }) => organizationId),
      metas.map(({ id }) => id),
      metas.map(({ type }) => type),
      metas.map(({ aggregateId }) => aggregateId),
      metas.map(({ sequence }) => sequence),
      metas.map(({ previousAt }) => previousAt ?? null),
      metas.map(({ occurredAt }) => occurredAt),
      events.map(({ trace }) => trace),
      events.map(({ payload }) => Buffer.from(payload)),
    ]),
  );
}

/**
 * Deletes events that were handled. If PostgreSQL crashes and loses the deletion, they are read again, and the inbox
 * shows that they were handled.
 */
export async function deleteEvents(
  database: Database,
  consumer: string,
  events: readonly Pick<WaitingEvent, 'position' | 'meta'>[],
): Promise<void> {
  await database.count(
    'every organization',
    `delete from waiting_event w using unnest($2::uuid[], $3::bigint[]) as handled(organization_id, position)
     where w.organization_id = handled.organization_id and w.consumer = $1 and w.position = handled.position`,
    [consumer, events.map(({ meta }) => meta.organizationId), events.map(({ position }) => position)],
  );
}

/** Reads one index entry for each organization, regardless of the number of its events. */
const ORGANIZATIONS = `
  with recursive organization as (
    (select organization_id as id from waiting_event order by organization_id limit 1)
    union all
    select (select organization_id from waiting_event where organization_id > organization.id
            order by organization_id limit 1)
    from organization where organization.id is not null
  )
  select id from organization
  where exists (select from waiting_event w where w.organization_id = organization.id and w.consumer = $1)`;

/** Returns the organizations of which events of a consumer wait. */
export async function waitingOrganizations(database: Database, consumer: string): Promise<string[]> {
  const rows = await database.read<{ id: string }>('every organization', ORGANIZATIONS, [consumer]);
  return rows.map(({ id }) => id);
}

/** Returns whether events of an organization wait for a consumer. */
export async function areWaiting(database: Database, consumer: string, organization: string): Promise<boolean> {
  const rows = await database.read(
    'every organization',
    'select 1 from waiting_event where organization_id = $1 and consumer = $2 limit 1',
    [organization, consumer],
  );
  return rows.length > 0;
}

interface Row {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly aggregate_id: string;
  readonly sequence: number;
  readonly previous_at: Date | null;
  readonly occurred_at: Date;
  readonly trace: string;
  readonly payload: Buffer;
  readonly handled: number | null;
}

/** Size of the payloads, in bytes, with which a reading ends. The last payload may exceed it. */
const READ_BYTES = 2 * 1024 ** 2;

/** Which events of a consumer and an organization to read. */
export interface WhichEvents {
  readonly consumer: string;
  readonly organization: string;
  /** Positions of events to leave out. */
  readonly except: readonly number[];
  readonly limit: number;
}

/** Returns the oldest events. The limits are checked before the payloads are read. */
export async function readEvents(
  database: Database,
  { consumer, organization, except, limit }: WhichEvents,
): Promise<WaitingEvent[]> {
  const rows = await database.read<Row>(
    'every organization',
    `select w.position, w.id, w.type, w.aggregate_id, w.sequence, w.previous_at, w.occurred_at, w.trace, w.payload,
       i.sequence as handled
     from (
       select *, sum(octet_length(payload)) over (order by position) - octet_length(payload) as bytes_before
       from (
         select * from waiting_event
         where organization_id = $1 and consumer = $2 and position <> all($3::bigint[]) order by position limit $4
       ) oldest
     ) w left join inbox i on i.consumer = w.consumer and i.aggregate_id = w.aggregate_id
     where w.bytes_before < ${READ_BYTES} order by w.position`,
    [organization, consumer, except, limit],
  );
  return rows.map(({ position, id, type, aggregate_id: aggregateId, sequence, ...row }) => ({
    position,
    meta: {
      ...{ id, type, organizationId: organization, aggregateId, sequence },
      occurredAt: row.occurred_at,
      previousAt: row.previous_at ?? undefined,
    },
    trace: row.trace,
    payload: row.payload,
    handled: row.handled ?? 0,
  }));
}

/** Time for which a replica is the reader of a consumer's events, in milliseconds. */
const READER_EXPIRY_MS = 10_000;

/** Makes a replica the reader of a consumer's events for the next ten seconds. Returns false if another one is it. */
export async function becomeReader(database: Database, consumer: string, reader: string): Promise<boolean> {
  const rows = await database.count(
    'every organization',
    `insert into event_reader as known (consumer, reader, expires_at)
     values ($1, $2, now() + make_interval(secs => ${READER_EXPIRY_MS / 1_000}))
     on conflict (consumer) do update set reader = excluded.reader, expires_at = excluded.expires_at
     where known.reader = excluded.reader or known.expires_at < now() returning 1`,
    [consumer, reader],
  );
  return rows.length > 0;
}

/** Lets another replica become the reader at once. */
export async function endReading(database: Database, consumer: string, reader: string): Promise<void> {
  await database.count('every organization', 'delete from event_reader where consumer = $1 and reader = $2', [
    consumer,
    reader,
  ]);
}
