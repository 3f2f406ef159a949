import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { backoff, pause, type Runtime } from '@tocsin/runtime';
import pg from 'pg';
import { Counter, Gauge } from 'prom-client';
import { WAKE_CHANNEL_SQL } from './append.ts';
import { eventSubject, headersOf } from './headers.ts';

export interface RelayOptions {
  /** The service's own database. */
  readonly databaseUrl: string;
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
}

interface OutboxRow {
  position: string;
  id: string;
  type: string;
  organization_id: string;
  aggregate_id: string;
  sequence: string;
  previous_at: Date | null;
  occurred_at: Date;
  trace: string;
  payload: Buffer;
}

const BATCH = 500;
const POLL_MS = 2_000;
const STANDBY_MS = 500;
const PUBLISH_TIMEOUT_MS = 5_000;

/**
 * Publishes what was appended, and deletes it once the stream has it. Of all replicas of a service one relays, the one
 * that holds the advisory lock; when it dies, Postgres frees the lock and another takes over.
 */
export function startRelay(options: RelayOptions): AsyncDisposable {
  const { runtime } = options;
  const stop = new AbortController();
  const meters = createMeters(runtime);
  const running = (async () => {
    for (let attempt = 1; !stop.signal.aborted; attempt += 1) {
      try {
        await relayUntilItFails(options, meters, stop.signal);
        attempt = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        runtime.logger.warn({ err: error }, 'relay interrupted; what was not published stays in the outbox');
        await pause(backoff(attempt), stop.signal);
      }
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

type Meters = ReturnType<typeof createMeters>;

function createMeters({ metrics }: Runtime) {
  return {
    published: new Counter({
      name: 'tocsin_outbox_published_total',
      help: 'Facts published to the stream.',
      registers: [metrics],
    }),
    leading: new Gauge({ name: 'tocsin_outbox_relaying', help: '1 while this replica relays.', registers: [metrics] }),
    lag: new Gauge({
      name: 'tocsin_outbox_lag_seconds',
      help: 'Age of the oldest fact that is not published yet, as of the last batch.',
      registers: [metrics],
    }),
  };
}

async function relayUntilItFails(options: RelayOptions, meters: Meters, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: options.databaseUrl, keepAlive: true });
  const failed = new AbortController();
  client.on('error', () => failed.abort());
  await client.connect();
  const ended = AbortSignal.any([signal, failed.signal]);
  try {
    while (!(await takeLead(client))) {
      await pause(STANDBY_MS, ended);
      if (ended.aborted) return;
    }
    meters.leading.set(1);
    const wake = await listenForWakes(client);
    const stream = jetstream(options.nats, { timeout: PUBLISH_TIMEOUT_MS });
    while (!ended.aborted) {
      const count = await publishBatch(client, stream, meters);
      if (count < BATCH) await wake(POLL_MS, ended);
    }
  } finally {
    meters.leading.set(0);
    // Ends the session, which frees the lock.
    await client.end().catch(() => undefined);
  }
}

async function takeLead(client: pg.Client): Promise<boolean> {
  const sql = `select pg_try_advisory_lock(hashtext(${WAKE_CHANNEL_SQL})) as leading`;
  const { rows } = await client.query<{ leading: boolean }>(sql);
  return rows[0]?.leading ?? false;
}

/** Answers a function that waits for the next wake, at most so long; a wake that came meanwhile is not lost. */
async function listenForWakes(client: pg.Client): Promise<(limitMs: number, signal: AbortSignal) => Promise<void>> {
  let woken = false;
  let interrupt = () => {};
  client.on('notification', () => {
    woken = true;
    interrupt();
  });
  const { rows } = await client.query<{ channel: string }>(`select ${WAKE_CHANNEL_SQL} as channel`);
  await client.query(`listen ${pg.escapeIdentifier(rows[0]?.channel ?? '')}`);
  return async (limitMs, signal) => {
    if (!woken) {
      const nap = new AbortController();
      interrupt = () => nap.abort();
      await pause(limitMs, AbortSignal.any([nap.signal, signal]));
    }
    woken = false;
  };
}

async function publishBatch(client: pg.Client, stream: JetStreamClient, meters: Meters): Promise<number> {
  const { rows } = await client.query<OutboxRow>(`select * from outbox order by position limit ${BATCH}`);
  const oldest = rows[0];
  meters.lag.set(oldest ? (Date.now() - oldest.occurred_at.getTime()) / 1000 : 0);
  if (!oldest) return 0;

  const published: string[] = [];
  // Side by side for different aggregates, one after the other within one: a failure never lets a later fact overtake.
  const outcomes = await Promise.allSettled(
    [...Map.groupBy(rows, (row) => row.aggregate_id).values()].map(async (facts) => {
      for (const fact of facts) {
        await publish(stream, fact);
        published.push(fact.position);
      }
    }),
  );
  await client.query('delete from outbox where position = any($1::bigint[])', [published]);
  meters.published.inc(published.length);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return rows.length;
}

async function publish(stream: JetStreamClient, row: OutboxRow): Promise<void> {
  const meta = {
    id: row.id,
    type: row.type,
    organizationId: row.organization_id,
    aggregateId: row.aggregate_id,
    sequence: Number(row.sequence),
    occurredAt: row.occurred_at,
    previousAt: row.previous_at ?? undefined,
  };
  // The stream drops a second copy with the same Nats-Msg-Id, which a crash between here and the delete makes.
  await stream.publish(eventSubject(row.type), row.payload, { headers: headersOf(meta, row.trace) });
}
