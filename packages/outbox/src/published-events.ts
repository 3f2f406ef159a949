import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { LONG_STATEMENTS, limited } from '@tocsin/database';
import type pg from 'pg';
import type { OutboxRow } from './outbox-rows.ts';
import { EVENT_STREAM } from './stream.ts';

/** Milliseconds for which a published event is stored. Consumers rarely handle an event later than this. */
const STORED_MS = 3_600_000;

const COLUMNS = 'position, id, type, organization_id, aggregate_id, sequence, previous_at, occurred_at, trace, payload';

/** Moves rows of the outbox to the published events. */
export async function markPublished(client: pg.Client, rows: readonly OutboxRow[]): Promise<void> {
  await client.query(
    `with published as (delete from outbox where position = any($1::bigint[]) returning ${COLUMNS})
     insert into published_event (${COLUMNS}) select ${COLUMNS} from published`,
    [rows.map(({ position }) => position)],
  );
}

export async function deleteExpiredEvents(client: pg.Client): Promise<void> {
  // After an outage, the events of an hour may have expired.
  const text = "delete from published_event where published_at < now() - $1 * interval '1 ms'";
  await client.query(limited({ text, values: [STORED_MS] }, LONG_STATEMENTS));
}

/**
 * Moves the published events back to the outbox if they were published to a stream that no longer exists: NATS has lost
 * its store, or the database was restored from a backup and NATS started with an empty store. This is necessary because
 * some consumers may not have handled all of these events. A consumer ignores an event that it has already handled.
 * Returns the number of moved events; undefined if the stream does not exist or NATS does not respond.
 */
export async function republishAfterLoss(client: pg.Client, nats: NatsConnection): Promise<number | undefined> {
  const { streams } = await jetstreamManager(nats, { checkAPI: false });
  const stream = await streams.info(EVENT_STREAM).catch(() => undefined);
  if (!stream) return undefined;
  const { rows } = await client.query<{ created: string }>('select created from event_stream');
  if (rows[0]?.created === stream.created) return 0;
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
