import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import type { Database } from '@tocsin/database';
import { backoff, contextFromHeaders, inSpan, pause, type Runtime, SpanKind, untilItWorks } from '@tocsin/runtime';
import { metersOf } from './consumer-metrics.ts';
import { type Delivery, deliver } from './deliver.ts';
import type { EventHandler } from './handler.ts';
import { eventSubject } from './headers.ts';
import { EVENT_STREAM, ensureEventStream } from './stream.ts';
import { StreamReach } from './stream-reach.ts';

export interface ConsumerOptions {
  /** Durable name, unique per service and source: `disruption-from-monitor`. */
  readonly name: string;
  /** Protobuf package of the events to consume: `tocsin.monitor.v1`. */
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
 * Consumes the events of one service. Replicas share the work; each event is applied once, and the events of an
 * aggregate in order. Disposing finishes running handlers and leaves other events to other replicas.
 */
export async function startConsumer(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { name, runtime } = options;
  const stop = new AbortController();
  const delivery: Delivery = {
    options,
    meters: metersOf(runtime),
    failures: new Map(),
    reach: new StreamReach(options.nats),
  };
  await untilItWorks('the event stream', runtime, () => ensureConsumer(options));

  let messages: ConsumerMessages | undefined;
  const running = (async () => {
    for (let attempt = 1; !stop.signal.aborted; attempt += 1) {
      try {
        await ensureConsumer(options);
        const consumer = await jetstream(options.nats).consumers.get(EVENT_STREAM, name);
        messages = await consumer.consume({ max_messages: PREFETCH });
        if (stop.signal.aborted) return void messages.stop();
        attempt = 0;
        await drainIntoLanes(messages, delivery, stop.signal);
      } catch (error) {
        if (!stop.signal.aborted) runtime.logger.warn({ err: error, consumer: name }, 'consumer interrupted');
      }
      await pause(backoff(attempt + 1), stop.signal);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      messages?.stop();
      await running;
    },
  };
}

async function ensureConsumer({ name, source, nats }: ConsumerOptions): Promise<void> {
  await ensureEventStream(nats);
  const { consumers } = await jetstreamManager(nats);
  // add() leaves an existing consumer with the same configuration as it is.
  await consumers.add(EVENT_STREAM, {
    durable_name: name,
    filter_subject: eventSubject(`${source}.*`),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: PREFETCH * 4,
  });
}

/** Runs events of one aggregate in sequence, and different aggregates concurrently. */
async function drainIntoLanes(messages: ConsumerMessages, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const lanes: Promise<void>[] = Array.from({ length: LANES }, () => Promise.resolve());
  for await (const message of messages) {
    const lane = laneOf(message.headers?.get('Tocsin-Aggregate') ?? '');
    const before = lanes[lane] ?? Promise.resolve();
    lanes[lane] = before.then(() => (signal.aborted ? message.nak() : handle(message, delivery)));
  }
  await Promise.all(lanes);
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
