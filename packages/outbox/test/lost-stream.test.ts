import { jetstreamManager } from '@nats-io/jetstream';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENT_STREAM, ensureEventStream, startConsumer, startRelay } from '../src/index.ts';
import {
  consumedBy,
  type Fixture,
  openFixture,
  query,
  type Replica,
  recording,
  say,
  source,
  startReplica,
} from './outbox-fixture.ts';

let fixture: Fixture;
let replica: Replica;

beforeAll(async () => {
  fixture = await openFixture();
  replica = await startReplica(fixture.nats.url);
  await ensureEventStream(replica.nats);
});

afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

/** Starts a relay in a replica of its own. */
async function relay(): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const own = stack.use(await startReplica(fixture.nats.url));
  stack.use(startRelay({ databaseUrl: fixture.databaseUrl, ...own }));
  return stack;
}

/** Starts the consumer in a replica of its own. */
async function consume(): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const own = stack.use(await startReplica(fixture.nats.url));
  const { database } = fixture;
  stack.use(await startConsumer({ name: 'reader', source, handlers: [recording('reader')], database, ...own }));
  return stack;
}

const consumed = (aggregate: string) => consumedBy(fixture.database, 'reader', aggregate);

const countOf = async (table: string, aggregate: string) => {
  const sql = `select count(*)::int as count from ${table} where aggregate_id = $1`;
  return (await query<{ count: number }>(fixture.database, sql, [aggregate]))[0]?.count;
};

test('after the stream is lost, its events are published again, and each is applied once and in order', async () => {
  const aggregate = crypto.randomUUID();
  {
    await using _relay = await relay();
    await using _consumer = await consume();
    await say(fixture.database, aggregate, 'one', 'two');
    await eventually(async () => expect(await consumed(aggregate)).toEqual(['one', 'two']));
  }
  {
    await using _relay = await relay();
    await say(fixture.database, aggregate, 'three');
    await eventually(async () => expect(await countOf('outbox', aggregate)).toBe(0));
  }
  const { streams } = await jetstreamManager(replica.nats);
  await streams.delete(EVENT_STREAM);
  await say(fixture.database, aggregate, 'four');
  await using _consumer = await consume();
  await using _relay = await relay();
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['one', 'two', 'three', 'four']));
  expect((await streams.info(EVENT_STREAM)).state.messages).toBe(4);
});

test('after the stream has lost its last events, they are published again, and each is applied once and in order', async () => {
  const aggregate = crypto.randomUUID();
  await using _relay = await relay();
  {
    await using _consumer = await consume();
    await say(fixture.database, aggregate, 'one');
    await eventually(async () => expect(await consumed(aggregate)).toEqual(['one']));
  }
  await say(fixture.database, aggregate, 'two', 'three');
  await eventually(async () => expect(await countOf('outbox', aggregate)).toBe(0));
  const { streams } = await jetstreamManager(replica.nats);
  const { state } = await streams.info(EVENT_STREAM);
  for (const sequence of [state.last_seq - 1, state.last_seq]) await streams.deleteMessage(EVENT_STREAM, sequence);
  await fixture.nats.stop();
  await say(fixture.database, aggregate, 'four');
  await fixture.nats.start();
  await using _consumer = await consume();
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['one', 'two', 'three', 'four']), {
    timeoutMs: 30_000,
  });
});

test('a running relay and a running consumer continue with the next event after NATS has lost its store', async () => {
  const aggregate = crypto.randomUUID();
  await using _relay = await relay();
  await using _consumer = await consume();
  await say(fixture.database, aggregate, 'one');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['one']));
  await fixture.nats.loseStore();
  await say(fixture.database, aggregate, 'two');
  await fixture.nats.start();
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['one', 'two']));
});

test('a restart of NATS and of the services is not taken for a loss of the stream', async () => {
  const { streams } = await jetstreamManager(replica.nats);
  const created = async () => (await streams.info(EVENT_STREAM)).created;
  await ensureEventStream(replica.nats);
  const first = await created();
  for (let restart = 0; restart < 2; restart += 1) {
    await fixture.nats.stop();
    await fixture.nats.start();
    await eventually(() => ensureEventStream(replica.nats));
  }
  expect(await created()).toBe(first);
});

test('a published event is stored for an hour', async () => {
  const [kept, expired] = [crypto.randomUUID(), crypto.randomUUID()];
  {
    await using _relay = await relay();
    for (const aggregate of [kept, expired]) await say(fixture.database, aggregate, 'one');
    await eventually(async () => {
      for (const aggregate of [kept, expired]) expect(await countOf('published_event', aggregate)).toBe(1);
    });
  }
  const age = 'update published_event set published_at = now() - $2::interval where aggregate_id = $1';
  await query(fixture.database, age, [kept, '59 minutes']);
  await query(fixture.database, age, [expired, '61 minutes']);
  await using _relay = await relay();
  await eventually(async () => expect(await countOf('published_event', expired)).toBe(0));
  expect(await countOf('published_event', kept)).toBe(1);
});
