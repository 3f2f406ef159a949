import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { EVENT_STREAM } from '@tocsin/outbox';
import { natsOptions } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { RESULT_STREAM } from '@tocsin/work-queue';
import pg from 'pg';
import { expect } from 'vitest';
import type { Network } from '../network.ts';

/**
 * Waits until all published results and events have been consumed, including the events that they caused. After that,
 * no more events follow from what has happened so far.
 */
export async function allHeard({ installation: { nats, postgres } }: Network, timeoutMs = 60_000): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const connection = await connect(natsOptions(nats?.url ?? ''));
  stack.defer(() => connection.close());
  const database = new pg.Client({ connectionString: postgres?.url });
  await database.connect();
  stack.defer(() => database.end());
  const { rows } = await database.query("select schemaname from pg_tables where tablename = 'outbox'");
  const outboxes = rows
    .map(({ schemaname }) => `select 1 from ${pg.escapeIdentifier(schemaname)}.outbox`)
    .join(' union all ');
  const { consumers } = await jetstreamManager(connection);

  async function waiting(): Promise<number> {
    let count = (await database.query(outboxes)).rows.length;
    for (const name of [RESULT_STREAM, EVENT_STREAM]) {
      for await (const { num_pending, num_ack_pending } of consumers.list(name)) count += num_pending + num_ack_pending;
    }
    return count;
  }
  await eventually(
    async () => {
      // One read is not enough: a message can be consumed between the reads of the outboxes and of the streams, and its
      // consumer can insert a new event into an outbox. The second read finds this event.
      expect([await waiting(), await waiting()]).toEqual([0, 0]);
    },
    { timeoutMs, intervalMs: 50 },
  );
}
