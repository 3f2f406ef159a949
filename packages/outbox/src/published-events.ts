import { jetstreamManager, type StreamAPI, type StreamInfo } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { LONG_STATEMENTS, limited } from '@tocsin/database';
import type pg from 'pg';
import type { OutboxRow } from './outbox-rows.ts';
import { EVENT_STREAM } from './stream.ts';

/** Milliseconds for which a published event is stored. Consumers rarely handle an event later than this. */
const STORED_MS = 3_600_000;

const COLUMNS = 'position, id, type, organization_id, aggregate_id, sequence, previous_at, occurred_at, trace, payload';

/** A published row of the outbox. */
export interface PublishedRow {
  readonly position: OutboxRow['position'];
  /** Position of the event in the stream; undefined if the stream may have lost the events before this one. */
  readonly streamSequence: number | undefined;
}

/** Moves rows of the outbox to the published events. */
export async function markPublished(client: pg.Client, rows: readonly PublishedRow[]): Promise<void> {
  await client.query({
    name: 'tocsin_mark_published',
    text: `with published as (delete from outbox where position = any($1::bigint[]) returning ${COLUMNS})
      insert into published_event (${COLUMNS}, stream_sequence) select ${COLUMNS}, stream_sequence
      from published join unnest($1::bigint[], $2::bigint[]) as stored(position, stream_sequence) using (position)`,
    values: [rows.map(({ position }) => position), rows.map(({ streamSequence }) => streamSequence ?? null)],
  });
}

export async function deleteExpiredEvents(client: pg.Client): Promise<void> {
  // After an outage, the events of an hour may have expired.
  const text = "delete from published_event where published_at < now() - $1 * interval '1 ms'";
  await client.query(limited({ name: 'tocsin_delete_expired', text, values: [STORED_MS] }, LONG_STATEMENTS));
}

/**
 * Moves the published events back to the outbox if the stream has lost events, because some consumers may not have
 * handled them. A consumer ignores an event that it has already handled. There are two causes. The stream is new: NATS
 * has lost its store, or the database was restored from a backup and NATS started with an empty store. Or the stream
 * lacks its last events, because the host of NATS crashed: NATS confirms a message before it is on the disk. Returns
 * the number of moved events; undefined if the stream does not exist or NATS does not respond.
 */
export async function republishAfterLoss(client: pg.Client, nats: NatsConnection): Promise<number | undefined> {
  const { streams } = await jetstreamManager(nats, { checkAPI: false });
  const stream = await streams.info(EVENT_STREAM).catch(() => undefined);
  if (!stream) return undefined;
  const known = await findKnownStream(client);
  if (known?.created === stream.created) {
    const hasLastEvent = await containsLastEvent(known, streams, stream);
    if (hasLastEvent === undefined) return undefined;
    if (hasLastEvent) return 0;
  }
  await client.query('begin');
  try {
    const text = `with published as (delete from published_event returning ${COLUMNS})
       insert into outbox (${COLUMNS}) overriding system value select ${COLUMNS} from published`;
    const moved = await client.query(limited({ text }, LONG_STATEMENTS));
    await client.query(
      'insert into event_stream (created) values ($1) on conflict (only_row) do update set created = excluded.created',
      [stream.created],
    );
    await client.query('commit');
    return moved.rowCount ?? 0;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** The stream that received the events, and the last event in it. Without an event, the `last_` fields are null. */
interface KnownStream {
  readonly created: string;
  readonly last_id: string | null;
  readonly last_sequence: string | null;
}

async function findKnownStream(client: pg.Client): Promise<KnownStream | undefined> {
  const { rows } = await client.query<KnownStream>({
    name: 'tocsin_known_stream',
    text: `select created, last.id as last_id, last.stream_sequence as last_sequence from event_stream left join (
        select id, stream_sequence from published_event where stream_sequence is not null
        order by stream_sequence desc limit 1
      ) last on true`,
  });
  return rows[0];
}

/**
 * Returns whether the stream contains the last published event, or has discarded it because of its age or the size of
 * the stream; undefined if NATS does not respond.
 */
async function containsLastEvent(
  { last_id, last_sequence }: KnownStream,
  streams: StreamAPI,
  { state }: StreamInfo,
): Promise<boolean | undefined> {
  const sequence = Number(last_sequence);
  if (last_id === null || sequence < state.first_seq) return true;
  try {
    const message = await streams.getMessage(EVENT_STREAM, { seq: sequence });
    return message?.header.get('Nats-Msg-Id') === last_id;
  } catch (error) {
    // The user of the service may lack the permission, if it was created before this check existed.
    const cause = error instanceof errors.RequestError ? error.cause : error;
    return cause instanceof errors.PermissionViolationError ? true : undefined;
  }
}
