import type { NatsConnection } from '@nats-io/transport-node';
import { whileLeading } from '@tocsin/database';
import { backoff, createWakeup, pause, type Runtime, type Wakeup } from '@tocsin/runtime';
import pg from 'pg';
import { WAKE_CHANNEL_SQL } from './append.ts';
import { EventPublisher } from './event-publisher.ts';
import { PublishHealth } from './publish-health.ts';
import { deleteExpiredEvents, republishAfterLoss } from './published-events.ts';
import { createRelayMeters, type RelayMeters } from './relay-metrics.ts';

export interface RelayOptions {
  /** The service's own database. */
  readonly databaseUrl: string;
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
}

/** Time for which NATS refuses all events until this process lets another replica lead, in milliseconds. */
const STEP_DOWN_AFTER_MS = 5_000;

/**
 * Pause after this process has stopped leading because NATS accepts no events from it, in milliseconds. It is long
 * enough for another replica to lead.
 */
const STEP_DOWN_PAUSE_MS = 2_000;

/**
 * Interval, in milliseconds, at which the relay checks that the stream still has the published events. Also the maximum
 * time between two readings of the outbox: a notification announces each event.
 */
const CHECK_STREAM_MS = 10_000;

/** Interval at which events are deleted that were published long ago, in milliseconds. */
const DELETE_EXPIRED_MS = 60_000;

/**
 * Publishes the appended events. Published events stay in the database for an hour, and are published again if the
 * stream is lost. Only one replica of a service relays at a time: the one that holds the advisory lock. When that
 * replica dies, PostgreSQL releases the lock and another replica takes over. The same happens if NATS has accepted no
 * event from that replica for five seconds.
 */
export function startRelay(options: RelayOptions): AsyncDisposable {
  const { runtime } = options;
  const stop = new AbortController();
  const meters = createRelayMeters(runtime);
  const health = new PublishHealth('events', runtime);
  const running = (async () => {
    for (let attempt = 1; !stop.signal.aborted; attempt += 1) {
      try {
        const hasSteppedDown = await relayUntilDisconnected(options, meters, health, stop.signal);
        attempt = 0;
        if (hasSteppedDown) await pause(STEP_DOWN_PAUSE_MS, stop.signal);
      } catch (error) {
        if (stop.signal.aborted) return;
        // An outage of the database fails every attempt. One line is enough.
        const level = attempt === 1 ? 'warn' : 'debug';
        runtime.logger[level]({ err: error }, 'relay interrupted; unpublished events stay in the outbox');
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

/**
 * Returns when `signal` aborts, the connection to the database is lost, or another replica should lead. In the last
 * case, returns true.
 */
async function relayUntilDisconnected(
  options: RelayOptions,
  meters: RelayMeters,
  health: PublishHealth,
  signal: AbortSignal,
): Promise<boolean> {
  const onStandby = () => health.accepted();
  let hasSteppedDown = false;
  try {
    await whileLeading(
      { url: options.databaseUrl, lockSql: WAKE_CHANNEL_SQL, signal, onStandby },
      async (client, ended) => {
        meters.leading.set(1);
        hasSteppedDown = await publishWhileAccepted(options, { client, meters, health, ended });
      },
    );
    return hasSteppedDown;
  } finally {
    meters.leading.set(0);
  }
}

/**
 * Publishes events until `ended` aborts, or until NATS has accepted none for STEP_DOWN_AFTER_MS, so that another
 * replica should publish them. Returns true in the second case.
 */
async function publishWhileAccepted(
  { nats, runtime: { logger } }: RelayOptions,
  {
    client,
    meters,
    health,
    ended,
  }: { client: pg.Client; meters: RelayMeters; health: PublishHealth; ended: AbortSignal },
): Promise<boolean> {
  await client.query('set tocsin.every_organization to on');
  // Commits do not wait for the disk: if PostgreSQL crashes and loses some, their events are published again, and
  // consumers handle them once.
  await client.query('set synchronous_commit to off');
  // The plan of READ_BATCH does not depend on its parameters. By default, PostgreSQL plans it again for each batch.
  await client.query('set plan_cache_mode to force_generic_plan');
  const wakeup = await listenForWakes(client);
  ended.addEventListener('abort', wakeup.ring, { once: true });
  const publisher = new EventPublisher({ client, nats, logger, meters });
  let checkedAt = Number.NEGATIVE_INFINITY;
  let deletedAt = Number.NEGATIVE_INFINITY;
  let refusedSince: number | undefined;
  for (let failures = 0; !ended.aborted; ) {
    const server = nats.info?.server_id;
    if (server !== publisher.checkedServer || performance.now() - checkedAt >= CHECK_STREAM_MS) {
      checkedAt = performance.now();
      const events = await republishAfterLoss(client, nats);
      if (events) logger.warn({ events }, 'the event stream has lost events; publishing the last ones again');
      // Delete expired events only after a successful check of the stream. If the stream was lost, the events must be
      // published again.
      if (events !== undefined) publisher.checkedServer = server;
      if (events !== undefined && checkedAt - deletedAt >= DELETE_EXPIRED_MS) {
        await deleteExpiredEvents(client);
        deletedAt = checkedAt;
      }
    }
    const began = performance.now();
    const { published, failed, more, retryInMs } = await publisher.publishBatch();
    if (published > 0) health.accepted();
    if (published > 0 || !failed) refusedSince = undefined;
    if (failed) {
      refusedSince ??= began;
      health.refused(failed.error);
      logger.warn({ err: failed.error }, 'events not published, to be retried');
      if (performance.now() - refusedSince >= STEP_DOWN_AFTER_MS) {
        logger.warn(
          'NATS accepts no events from this process; if the service has another replica, that one may publish them',
        );
        return true;
      }
    }
    failures = failed?.everything ? failures + 1 : 0;
    if (failures > 0) await pause(backoff(failures), ended);
    else if (!more) await wakeup.wait(Math.min(CHECK_STREAM_MS, retryInMs ?? CHECK_STREAM_MS));
  }
  return false;
}

/** Listens for notifications of appended events. Each notification wakes the waiter of the returned Wakeup. */
async function listenForWakes(client: pg.Client): Promise<Wakeup> {
  const wakeup = createWakeup();
  client.on('notification', wakeup.ring);
  const { rows } = await client.query<{ channel: string }>(`select ${WAKE_CHANNEL_SQL} as channel`);
  await client.query(`listen ${pg.escapeIdentifier(rows[0]?.channel ?? '')}`);
  return wakeup;
}
