import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Database, openDatabase, sqlMigration, type Transaction } from '@tocsin/database';
import { connectNats, createRuntime, type Runtime } from '@tocsin/runtime';
import { type TestNats, testDatabase, testNats } from '@tocsin/testing';
import { appendEvents, type EventHandler, on, onTogether, outboxMigrations, outgoingEvent } from '../src/index.ts';

export const organizationId = '01920000-0000-7000-8000-00000000000a';

/** Protobuf package of the test events, which are plain texts. */
export const source = 'google.protobuf';
export const subject = `event.${StringValueSchema.typeName}`;

const migrations = [
  ...outboxMigrations,
  sqlMigration('test-001-events', 'create table said (aggregate_id uuid, text text)'),
  // The table has no unique constraint, so that an event that is applied twice has two rows.
  sqlMigration(
    'test-002-consumed',
    `create table consumed (
       position bigint generated always as identity, consumer text, aggregate_id uuid, sequence bigint, text text
     )`,
  ),
];

export function openEvents(url: string): Promise<Database> {
  return openDatabase({ url, entities: [], migrations, poolSize: 12 });
}

/** The database and the NATS server of a service that publishes events and consumes its own events. */
export interface Fixture extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly database: Database;
  readonly nats: TestNats;
}

export async function openFixture(): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await testDatabase('outbox'));
  const nats = stack.use(await testNats());
  const database = stack.use(await openEvents(url));
  const opened = stack.move();
  return { databaseUrl: url, database, nats, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Resources of one replica of the service. */
export interface Replica extends AsyncDisposable {
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
}

export async function startReplica(natsUrl: string): Promise<Replica> {
  const runtime = createRuntime('outbox-test', { logLevel: 'silent' });
  const nats = await connectNats(natsUrl, runtime);
  return { nats: nats.connection, runtime, [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose]() };
}

/** Appends one event for each text, in order, and inserts the texts into the table `said`. */
export async function sayIn(tx: Transaction, aggregateId: string, texts: readonly string[]): Promise<void> {
  await tx.query('insert into said select $1, unnest($2::text[])', [aggregateId, texts]);
  await appendEvents(
    tx,
    texts.map((value) => outgoingEvent(StringValueSchema, { value }, { organizationId, aggregateId })),
  );
}

/** Appends events of one aggregate in a separate transaction. */
export function say(database: Database, aggregateId: string, ...texts: string[]): Promise<void> {
  return database.transaction({ organizationId }, (tx) => sayIn(tx, aggregateId, texts));
}

/** Returns a handler that records the events of a consumer. */
export function recording(
  consumer: string,
  before: (text: string) => void | Promise<void> = () => undefined,
): EventHandler {
  return on(StringValueSchema, async ({ value }, { aggregateId, sequence }, tx) => {
    await before(value);
    await tx.query('insert into consumed (consumer, aggregate_id, sequence, text) values ($1, $2, $3, $4)', [
      consumer,
      aggregateId,
      sequence,
      value,
    ]);
  });
}

/** Does the same as recording(), for several events at once. `before` gets the texts of each call. */
export function recordingTogether(
  consumer: string,
  before: (texts: readonly string[]) => void | Promise<void> = () => undefined,
): EventHandler {
  return onTogether(StringValueSchema, async (events, tx) => {
    for (const { message, meta } of events) {
      await tx.query('insert into consumed (consumer, aggregate_id, sequence, text) values ($1, $2, $3, $4)', [
        consumer,
        meta.aggregateId,
        meta.sequence,
        message.value,
      ]);
    }
    await before(events.map(({ message }) => message.value));
  });
}

/** Returns the texts of an aggregate that a consumer received, in the order in which it applied them. */
export async function consumedBy(database: Database, consumer: string, aggregateId: string): Promise<string[]> {
  const sql = 'select text from consumed where consumer = $1 and aggregate_id = $2 order by position';
  const rows = await query<{ text: string }>(database, sql, [consumer, aggregateId]);
  return rows.map(({ text }) => text);
}

export function query<Row>(database: Database, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  return database.transaction('every organization', (tx) => tx.query<Row>(sql, parameters));
}

/** Returns the sum of a replica's metric over all labels. */
export async function counted({ runtime }: Replica, metric: string): Promise<number> {
  const { values } = (await runtime.metrics.getSingleMetric(metric)?.get()) ?? { values: [] };
  return values.reduce((sum, { value }) => sum + value, 0);
}
