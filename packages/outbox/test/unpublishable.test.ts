import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { jetstreamManager } from '@nats-io/jetstream';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendEvents, EVENT_STREAM, MAX_EVENT_BYTES, outgoingEvent, startConsumer, startRelay } from '../src/index.ts';
import {
  consumedBy,
  counted,
  type Fixture,
  openFixture,
  organizationId,
  query,
  type Replica,
  recording,
  say,
  sayIn,
  source,
  startReplica,
} from './outbox-fixture.ts';

const MEGABYTE = 1024 * 1024;

let environment: Fixture;
let replica: Replica;
let resources: AsyncDisposableStack;

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  environment = stack.use(await openFixture());
  replica = stack.use(await startReplica(environment.nats.url));
  const { database } = environment;
  const handlers = [recording('reader')];
  stack.use(await startConsumer({ name: 'reader', source, handlers, database, ...replica }));
  resources = stack.move();
});

afterAll(() => resources.disposeAsync());

function texts(aggregateId: string): Promise<string[]> {
  return consumedBy(environment.database, 'reader', aggregateId);
}

/** Appends copies of an event, by default one, and enlarges their payloads beyond the limit of `appendEvents`. */
async function appendOversized(aggregateId: string, bytes: number, copies = 1): Promise<void> {
  const { database } = environment;
  await database.transaction({ organizationId }, async (tx) => {
    await sayIn(tx, aggregateId, Array<string>(copies).fill('oversized'));
    await tx.query(`update outbox set payload = convert_to(repeat('x', $2::int), 'UTF8') where aggregate_id = $1`, [
      aggregateId,
      bytes,
    ]);
  });
}

function stringEvent(bytes: number) {
  // At this size, the tag and length of the field take four bytes.
  const value = 'x'.repeat(bytes - 4);
  const event = outgoingEvent(StringValueSchema, { value }, { organizationId, aggregateId: crypto.randomUUID() });
  expect(event.payload).toHaveLength(bytes);
  return event;
}

test('an event of the maximum size is published, and an event with one byte more makes the transaction fail', async () => {
  const { database } = environment;
  await using _relay = startRelay({ databaseUrl: environment.databaseUrl, ...replica });
  const largest = stringEvent(MAX_EVENT_BYTES);
  await database.transaction({ organizationId }, (tx) => appendEvents(tx, [largest]));
  await eventually(async () => expect(await texts(largest.aggregateId)).toHaveLength(1));

  const tooLarge = stringEvent(MAX_EVENT_BYTES + 1);
  const small = outgoingEvent(
    StringValueSchema,
    { value: 'small' },
    { organizationId, aggregateId: largest.aggregateId },
  );
  const append = database.transaction({ organizationId }, (tx) => appendEvents(tx, [small, tooLarge]));
  await expect(append).rejects.toMatchObject({
    kind: 'invalid',
    message:
      'the change is too large to be published: google.protobuf.StringValue has 262145 bytes, and at most 262144 are allowed; shorten its texts or lists',
  });
  expect(await query(database, 'select from outbox where aggregate_id = $1', [largest.aggregateId])).toEqual([]);
});

test('an event of 2 MB becomes a dead letter and does not block later events', async () => {
  await using own = await startReplica(environment.nats.url);
  const hostile = crypto.randomUUID();
  const victim = crypto.randomUUID();
  await say(environment.database, victim, 'before');
  await appendOversized(hostile, 2 * MEGABYTE);
  await say(environment.database, hostile, 'after the oversized one');
  await say(environment.database, victim, 'after');
  const startedAt = Date.now();
  await using _relay = startRelay({ databaseUrl: environment.databaseUrl, ...own });
  await eventually(async () => expect(await texts(victim)).toEqual(['before', 'after']));
  expect(Date.now() - startedAt).toBeLessThan(2_000);
  // The consumer received an empty event in place of the oversized event. Otherwise it would still wait for the
  // oversized event.
  await eventually(async () => expect(await texts(hostile)).toEqual(['after the oversized one']));
  const sql =
    'select consumer, type, sequence, error, octet_length(payload) as bytes from dead_letter where aggregate_id = $1';
  expect(await query(environment.database, sql, [hostile])).toEqual([
    {
      consumer: 'relay',
      type: 'google.protobuf.StringValue',
      sequence: 1,
      error: 'the event has 2097152 bytes, and NATS accepts at most 1046528 beside the headers',
      bytes: 2 * MEGABYTE,
    },
  ]);
  expect(await counted(own, 'tocsin_outbox_dead_total')).toBe(1);
  // An event may be consumed before the relay deletes it.
  await eventually(async () => expect(await query(environment.database, 'select from outbox')).toEqual([]));
});

test('600 events that cannot be published are removed and do not delay other events', async () => {
  await using own = await startReplica(environment.nats.url);
  const hostile = crypto.randomUUID();
  const victim = crypto.randomUUID();
  await appendOversized(hostile, MEGABYTE, 600);
  await say(environment.database, victim, 'behind 600 MB');
  await using _relay = startRelay({ databaseUrl: environment.databaseUrl, ...own });
  await eventually(async () => expect(await texts(victim)).toEqual(['behind 600 MB']), { timeoutMs: 25_000 });
  await eventually(async () => expect(await counted(own, 'tocsin_outbox_dead_total')).toBe(600));
  expect(process.memoryUsage().rss).toBeLessThan(700 * MEGABYTE);
}, 180_000);

test('a service is not ready while the stream refuses its events, and is ready again when the stream accepts them', async () => {
  await using own = await startReplica(environment.nats.url);
  own.runtime.readiness.started();
  await using _relay = startRelay({ databaseUrl: environment.databaseUrl, ...own });
  const aggregate = crypto.randomUUID();
  await say(environment.database, aggregate, 'accepted');
  await eventually(async () => expect(await texts(aggregate)).toEqual(['accepted']));
  const { streams } = await jetstreamManager(own.nats);
  const { config } = await streams.info(EVENT_STREAM);
  await streams.update(EVENT_STREAM, { ...config, max_msgs: 1, discard: 'new' as never });
  await say(environment.database, aggregate, 'refused at first');
  await eventually(
    async () => {
      const { ready, checks } = await own.runtime.readiness.report();
      expect(ready).toBe(false);
      expect(checks.events).toMatch(/^events can't be published for \d+ s: maximum messages exceeded/);
    },
    { timeoutMs: 15_000 },
  );
  expect(await counted(own, 'tocsin_outbox_publish_failures_total')).toBeGreaterThan(0);
  await streams.update(EVENT_STREAM, config);
  await eventually(async () => expect(await texts(aggregate)).toEqual(['accepted', 'refused at first']));
  await eventually(async () => expect((await own.runtime.readiness.report()).checks.events).toBe('ok'));
});

test('if the stream refuses an event, the aggregate of the event waits for a retry, and events of other aggregates are published immediately', async () => {
  await using own = await startReplica(environment.nats.url);
  await using _relay = startRelay({ databaseUrl: environment.databaseUrl, ...own });
  const { streams } = await jetstreamManager(own.nats);
  const { config } = await streams.info(EVENT_STREAM);
  // The stream has space only for small events, so it temporarily refuses an event of 100 KB.
  const bytes = (await streams.info(EVENT_STREAM)).state.bytes + 50_000;
  await streams.update(EVENT_STREAM, { ...config, max_bytes: bytes, discard: 'new' as never });
  try {
    const stuck = crypto.randomUUID();
    await say(environment.database, stuck, 'x'.repeat(100_000));
    await eventually(async () => expect(await counted(own, 'tocsin_outbox_delayed_aggregates')).toBe(1));
    const delays: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      const aggregate = crypto.randomUUID();
      const saidAt = Date.now();
      await say(environment.database, aggregate, 'small');
      await eventually(async () => expect(await texts(aggregate)).toEqual(['small']));
      delays.push(Date.now() - saidAt);
    }
    expect(Math.max(...delays)).toBeLessThan(1_000);
    expect(await texts(stuck)).toEqual([]);
  } finally {
    await streams.update(EVENT_STREAM, config);
  }
  await eventually(async () => expect(await query(environment.database, 'select from outbox')).toEqual([]));
});
