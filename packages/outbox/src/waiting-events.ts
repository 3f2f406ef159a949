import type { Database } from '@tocsin/database';
import type { EventMeta } from './event.ts';

/** An event in the table `waiting_event`. */
export interface WaitingEvent {
  /** Position in the table, from 1. */
  readonly position: number;
  readonly meta: EventMeta;
  readonly trace: string;
  readonly payload: Uint8Array;
}

const STORE = `
  insert into waiting_event
    (consumer, organization_id, id, type, aggregate_id, sequence, previous_at, occurred_at, trace, payload)
  select $1, * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::bigint[], $7::timestamptz[],
    $8::timestamptz[], $9::text[], $10::bytea[])`;

/**
 * Stores events of a consumer, in their order.
 * @throws ServiceError `unavailable` if the database does not respond.
 */
export async function storeEvents(
  database: Database,
  consumer: string,
  events: readonly Omit<WaitingEvent, 'position'>[],
): Promise<void> {
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
  events: readonly { readonly organization: string; readonly position: number }[],
): Promise<void> {
  await database.count(
    'every organization',
    `delete from waiting_event w using unnest($2::uuid[], $3::bigint[]) as handled(organization_id, position)
     where w.organization_id = handled.organization_id and w.consumer = $1 and w.position = handled.position`,
    [consumer, events.map(({ organization }) => organization), events.map(({ position }) => position)],
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
}

/** Which events of a consumer and an organization to read. */
export interface WhichEvents {
  readonly consumer: string;
  readonly organization: string;
  /** Positions of events to leave out. */
  readonly except: readonly number[];
  readonly limit: number;
}

/**
 * Returns the oldest events whose predecessor was handled, or that is older than `keptSince` and therefore no longer in
 * the stream.
 */
export function readNextEvents(database: Database, which: WhichEvents, keptSince: Date): Promise<WaitingEvent[]> {
  return read(
    database,
    which,
    `left join inbox i on i.consumer = w.consumer and i.aggregate_id = w.aggregate_id`,
    `and (w.sequence = 1 or w.sequence <= i.sequence + 1 or w.previous_at < $5)`,
    [keptSince],
  );
}

/** Returns the oldest events, whether their predecessor was handled or not. */
export function readEvents(database: Database, which: WhichEvents): Promise<WaitingEvent[]> {
  return read(database, which, '', '', []);
}

async function read(
  database: Database,
  { consumer, organization, except, limit }: WhichEvents,
  join: string,
  condition: string,
  parameters: readonly unknown[],
): Promise<WaitingEvent[]> {
  const rows = await database.read<Row>(
    'every organization',
    `select w.position, w.id, w.type, w.aggregate_id, w.sequence, w.previous_at, w.occurred_at, w.trace, w.payload
     from waiting_event w ${join}
     where w.organization_id = $1 and w.consumer = $2 and w.position <> all($3::bigint[]) ${condition}
     order by w.position limit $4`,
    [organization, consumer, except, limit, ...parameters],
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
