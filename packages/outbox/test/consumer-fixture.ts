import { create, type DescMessage, toBinary } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { type ConsumerOptions, type EventHandler, startConsumer, startRelay } from '../src/index.ts';
import {
  consumedBy,
  type Fixture,
  openFixture,
  organizationId,
  query,
  type Replica,
  source,
  startReplica,
  subject,
} from './outbox-fixture.ts';

export interface DeadLetter {
  readonly aggregate_id: string;
  readonly sequence: number;
  readonly type: string;
  readonly error: string;
}

/** An event that a test publishes directly. */
export interface TestEvent {
  readonly aggregateId: string;
  readonly sequence: number;
  /** Defaults to a text with the sequence number. */
  readonly payload?: Uint8Array;
  /** Time of the previous event. Defaults to now. */
  readonly previousAt?: Date;
  /** Defaults to the organization of the fixture. */
  readonly organization?: string;
}

/** A fixture with a relay, to which a test adds consumers. */
export interface Scene extends Fixture {
  readonly replica: Replica;
  /** Starts a consumer in a separate replica. */
  consume(
    name: string,
    handlers: EventHandler[],
    ignored?: DescMessage[],
    others?: Partial<ConsumerOptions>,
  ): Promise<Replica>;
  /** Stops all consumers. */
  stopConsumers(): Promise<void>;
  consumed(consumer: string, aggregateId: string): Promise<string[]>;
  deadLetters(consumer: string): Promise<DeadLetter[]>;
  /** Publishes an event like a relay, even if it was never appended. */
  publish(event: TestEvent): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await openFixture());
  const { database } = fixture;
  const replica = stack.use(await startReplica(fixture.nats.url));
  stack.use(startRelay({ databaseUrl: fixture.databaseUrl, ...replica }));
  let consumers = new AsyncDisposableStack();
  stack.defer(() => consumers.disposeAsync());
  const opened = stack.move();

  return {
    ...fixture,
    replica,
    async consume(name, handlers, ignored = [], others = {}) {
      const own = consumers.use(await startReplica(fixture.nats.url));
      consumers.use(await startConsumer({ name, source, handlers, ignored, database, ...own, ...others }));
      return own;
    },
    async stopConsumers() {
      const stopping = consumers;
      consumers = new AsyncDisposableStack();
      await stopping.disposeAsync();
    },
    consumed: (consumer, aggregateId) => consumedBy(database, consumer, aggregateId),
    deadLetters: (consumer) =>
      query(database, 'select aggregate_id, sequence, type, error from dead_letter where consumer = $1', [consumer]),
    async publish({
      aggregateId,
      sequence,
      previousAt,
      payload = textPayload(`event ${sequence}`),
      organization = organizationId,
    }) {
      const meta = headers();
      const now = new Date().toISOString();
      meta.set('Nats-Msg-Id', crypto.randomUUID());
      meta.set('Tocsin-Type', StringValueSchema.typeName);
      meta.set('Tocsin-Organization', organization);
      meta.set('Tocsin-Aggregate', aggregateId);
      meta.set('Tocsin-Sequence', String(sequence));
      meta.set('Tocsin-Occurred-At', now);
      if (sequence > 1) meta.set('Tocsin-Previous-At', previousAt?.toISOString() ?? now);
      await jetstream(replica.nats).publish(subject, payload, { headers: meta });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns the bytes of a StringValue. */
export function textPayload(text: string): Uint8Array {
  return toBinary(StringValueSchema, create(StringValueSchema, { value: text }));
}
