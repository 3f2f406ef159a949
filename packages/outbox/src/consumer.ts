import type { DescMessage } from '@bufbuild/protobuf';
import { DeliverPolicy } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import type { Database } from '@tocsin/database';
import {
  consumeStream,
  contextFromHeaders,
  FairSlots,
  inSpan,
  type Runtime,
  SpanKind,
  untilItWorks,
} from '@tocsin/runtime';
import { metersOf } from './consumer-metrics.ts';
import { type Delivery, deliver, deliverTogether, mayShareTransaction } from './deliver.ts';
import { EventBacklog } from './event-backlog.ts';
import { EventQueue } from './event-queue.ts';
import type { EventHandler } from './handler.ts';
import { eventSubject } from './headers.ts';
import type { ReceivedMessage } from './received-message.ts';
import { EVENT_STREAM, ensureEventStream } from './stream.ts';
import { StreamReach } from './stream-reach.ts';

export interface ConsumerOptions {
  /** Durable name such as `disruption-from-monitor`, which is unique per service and source. */
  readonly name: string;
  /** Protobuf package of the consumed events, such as `tocsin.monitor.v1`. */
  readonly source: string;
  /** Handlers by event type. Events of other types are recorded, because the order of an aggregate includes them. */
  readonly handlers: readonly EventHandler[];
  /**
   * Events that are acknowledged without a transaction. An aggregate that has one of them must not have an event with a
   * handler. To handle one of them later, use a consumer with another name, which starts with the first event of each
   * aggregate.
   */
  readonly ignored?: readonly DescMessage[];
  readonly database: Database;
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
  /** Slots in which the events are handled. The consumers of a service share them. Defaults to slots of its own. */
  readonly slots?: FairSlots;
  /** Milliseconds for which an event waits before it is handled. Defaults to 0. */
  readonly deferMs?: number;
  /** Size, in bytes, of the events that this process holds in memory. Defaults to MEMORY_BYTES. */
  readonly memoryBytes?: number;
}

const PREFETCH = 64;
const ACK_WAIT_MS = 10_000;

/** Default size, in bytes, of the events of a consumer in the memory. More events wait in the database. */
const MEMORY_BYTES = 16 * 1024 ** 2;

/**
 * Maximum number of events that all replicas together have received and not acknowledged. If this number of events
 * waits, for example for a retry, no other event is delivered. The number is therefore several times the default limit
 * of monitors of an organization, which may all fail at once.
 */
const MAX_UNACKNOWLEDGED = 65_536;

/** Maximum number of slots. */
const MAX_SLOTS = 8;

/**
 * Returns the slots in which all consumers of a service handle events. Events of one organization may all wait for one
 * lock. They therefore leave slots to other organizations, and connections to requests.
 *
 * @param connections Maximum number of connections of the service to its database.
 */
export function createEventSlots(connections: number): FairSlots {
  const slots = Math.max(1, Math.min(MAX_SLOTS, connections - 1));
  return new FairSlots({
    slots,
    perTenant: Math.ceil(slots / 2),
    perTenantOfSeveral: Math.ceil(slots / 4),
    // EventQueue limits the size of the waiting events.
    waitingPerTenant: Number.POSITIVE_INFINITY,
    waiting: Number.POSITIVE_INFINITY,
  });
}

/**
 * Consumes the events of one service. Replicas share the work. Each event is applied once, and the events of an
 * aggregate are applied in order. Organizations take turns, so that many events of one of them do not delay events of
 * the others. Disposing waits for running handlers and leaves other events to other replicas.
 */
export async function startConsumer(options: ConsumerOptions): Promise<AsyncDisposable> {
  const {
    name,
    database,
    nats,
    runtime,
    handlers,
    ignored = [],
    slots = createEventSlots(MAX_SLOTS + 1),
    deferMs = 0,
    memoryBytes = MEMORY_BYTES,
  } = options;
  const ignoredTypes = new Set<string>(ignored.map(({ typeName }) => typeName));
  const handled = handlers.find(({ type }) => ignoredTypes.has(type));
  if (handled) throw new Error(`${name} both ignores and handles ${handled.type}`);
  const consumer = {
    durable_name: name,
    filter_subject: eventSubject(`${options.source}.*`),
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MAX_UNACKNOWLEDGED,
  };
  await untilItWorks('the event stream', runtime, () => ensureEventStream(nats));
  const reach = new StreamReach(nats);
  const backlog = new EventBacklog({
    ...{ name, database, runtime, reach },
    handle: (message) => queue.add(message),
    isHandling: (aggregateId) => queue.hasAggregate(aggregateId),
  });
  const delivery: Delivery = { options, meters: metersOf(runtime), failures: new Map(), reach, backlog };
  const queue = new EventQueue({
    handle: (messages) => deliverInSpan(messages, delivery),
    mayShare: (message) => mayShareTransaction(message, options),
    slots,
    maxBytes: memoryBytes,
    ackWaitMs: ACK_WAIT_MS,
    deferMs,
  });
  const consuming = consumeStream({
    name: `consuming ${name}`,
    nats,
    runtime,
    stream: EVENT_STREAM,
    consumer,
    prefetch: PREFETCH,
    async prepare() {
      // If NATS has lost the stream, the positions of these messages belong to other messages.
      queue.returnWaiting();
      await ensureEventStream(nats);
    },
    onMessage(message) {
      if (ignoredTypes.has(message.headers?.get('Tocsin-Type') ?? '')) message.ack();
      else if (backlog.isBehind(message) || !queue.add(message)) backlog.add(message);
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      const stopped = queue.stop();
      await consuming[Symbol.asyncDispose]();
      await stopped;
      await backlog[Symbol.asyncDispose]();
    },
  };
}

function deliverInSpan(messages: readonly ReceivedMessage[], delivery: Delivery): Promise<void> {
  const [message, ...others] = messages;
  if (!message) return Promise.resolve();
  if (others.length > 0) {
    // The events have different traces, so they get a trace of their own.
    return inSpan('consume events', SpanKind.CONSUMER, contextFromHeaders({}), (span) => {
      span.setAttribute('messaging.batch.message_count', messages.length);
      return deliverTogether(messages, delivery);
    });
  }
  const remote = contextFromHeaders({ traceparent: message.headers?.get('traceparent') });
  return inSpan(`consume ${message.subject}`, SpanKind.CONSUMER, remote, () => deliver(message, delivery));
}
