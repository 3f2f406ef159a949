import { DeliverPolicy } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import type { Database } from '@tocsin/database';
import { consumeStream, type Runtime, untilItWorks } from '@tocsin/runtime';
import { metersOf } from './consumer-metrics.ts';
import type { Delivery } from './deliver.ts';
import { EventQueue } from './event-queue.ts';
import type { EventHandler } from './handler.ts';
import { eventSubject } from './headers.ts';
import { EVENT_STREAM, ensureEventStream } from './stream.ts';
import { StreamReach } from './stream-reach.ts';

export interface ConsumerOptions {
  /** Durable name such as `disruption-from-monitor`, which is unique per service and source. */
  readonly name: string;
  /** Protobuf package of the consumed events, such as `tocsin.monitor.v1`. */
  readonly source: string;
  /** Handlers by event type. Events of other types are acknowledged. */
  readonly handlers: readonly EventHandler[];
  readonly database: Database;
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
}

const PREFETCH = 64;
const ACK_WAIT_MS = 10_000;

/**
 * Maximum number of events that all replicas together have received and not acknowledged. Events of other organizations
 * overtake only received events. The number is therefore larger than the default limit of monitors of an organization,
 * which may all fail at once. If this number of events waits for a retry, no other event is delivered.
 */
const MAX_UNACKNOWLEDGED = 16_384;

/**
 * Consumes the events of one service. Replicas share the work. Each event is applied once, and the events of an
 * aggregate are applied in order. Organizations take turns, so that many events of one of them do not delay events of
 * the others. Disposing waits for running handlers and leaves other events to other replicas.
 */
export async function startConsumer(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { name, nats, runtime } = options;
  const delivery: Delivery = {
    options,
    meters: metersOf(runtime),
    failures: new Map(),
    reach: new StreamReach(options.nats),
  };
  const consumer = {
    durable_name: name,
    filter_subject: eventSubject(`${options.source}.*`),
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MAX_UNACKNOWLEDGED,
  };
  await untilItWorks('the event stream', runtime, () => ensureEventStream(nats));
  const queue = new EventQueue(delivery, ACK_WAIT_MS);
  const consuming = consumeStream({
    name: `consuming ${name}`,
    nats,
    runtime,
    stream: EVENT_STREAM,
    consumer,
    prefetch: PREFETCH,
    prepare: () => ensureEventStream(nats),
    onMessage: (message) => queue.add(message),
  });
  return {
    async [Symbol.asyncDispose]() {
      const stopped = queue.stop();
      await consuming[Symbol.asyncDispose]();
      await stopped;
    },
  };
}
