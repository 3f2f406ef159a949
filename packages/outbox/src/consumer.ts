import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import type { Database } from '@tocsin/database';
import { consumeStream, contextFromHeaders, inSpan, type Runtime, SpanKind, untilItWorks } from '@tocsin/runtime';
import { metersOf } from './consumer-metrics.ts';
import { type Delivery, deliver } from './deliver.ts';
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

const LANES = 8;
const PREFETCH = 64;
const ACK_WAIT_MS = 10_000;

/**
 * Maximum number of events that all replicas together handle or retry. If this number of events waits for a retry, no
 * other event is delivered.
 */
const MAX_UNACKNOWLEDGED = 2_048;

/**
 * Consumes the events of one service. Replicas share the work. Each event is applied once, and the events of an
 * aggregate are applied in order. Disposing waits for running handlers and leaves other events to other replicas.
 */
export async function startConsumer(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { name, nats, runtime } = options;
  const stop = new AbortController();
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
  // Each lane is a chain of promises that handles its events one after the other. The lanes run concurrently. All
  // events of an aggregate are in the same lane, so they are handled in order.
  const lanes: Promise<void>[] = Array.from({ length: LANES }, () => Promise.resolve());
  const consuming = consumeStream({
    name: `consuming ${name}`,
    nats,
    runtime,
    stream: EVENT_STREAM,
    consumer,
    prefetch: PREFETCH,
    prepare: () => ensureEventStream(nats),
    onMessage(message) {
      const lane = laneOf(message.headers?.get('Tocsin-Aggregate') ?? '');
      const before = lanes[lane] ?? Promise.resolve();
      lanes[lane] = before.then(() => (stop.signal.aborted ? message.nak() : handle(message, delivery)));
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await consuming[Symbol.asyncDispose]();
      await Promise.all(lanes);
    },
  };
}

function laneOf(aggregateId: string): number {
  let hash = 0;
  for (let index = 0; index < aggregateId.length; index += 1) hash = (hash * 31 + aggregateId.charCodeAt(index)) | 0;
  return Math.abs(hash) % LANES;
}

async function handle(message: JsMsg, delivery: Delivery): Promise<void> {
  const heartbeat = setInterval(() => message.working(), ACK_WAIT_MS / 3);
  try {
    const remote = contextFromHeaders({ traceparent: message.headers?.get('traceparent') });
    await inSpan(`consume ${message.subject}`, SpanKind.CONSUMER, remote, () => deliver(message, delivery));
  } finally {
    clearInterval(heartbeat);
  }
}
