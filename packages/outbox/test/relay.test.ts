import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { jetstreamManager } from '@nats-io/jetstream';
import { countRoundTrips, eventually, testNats } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  appendEvents,
  EVENT_STREAM,
  ensureEventStream,
  outgoingEvent,
  startConsumer,
  startRelay,
} from '../src/index.ts';
import {
  consumedBy,
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
import { runProgram } from './run-program.ts';

let fixture: Fixture;
let listener: Replica;
let consumer: AsyncDisposable;

beforeAll(async () => {
  fixture = await openFixture();
  listener = await startReplica(fixture.nats.url);
  const { database } = fixture;
  consumer = await startConsumer({ name: 'reader', source, handlers: [recording('reader')], database, ...listener });
});

afterAll(async () => {
  await consumer[Symbol.asyncDispose]();
  await listener[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

async function relayOf(replica: Replica): Promise<AsyncDisposable> {
  return startRelay({ databaseUrl: fixture.databaseUrl, ...replica });
}

async function consumed(aggregateId: string): Promise<string[]> {
  return consumedBy(fixture.database, 'reader', aggregateId);
}

async function unpublished(): Promise<number> {
  const [row] = await query<{ count: number }>(fixture.database, 'select count(*) from outbox');
  return row?.count ?? Number.NaN;
}

async function publishedCount(): Promise<number> {
  await ensureEventStream(listener.nats);
  const manager = await jetstreamManager(listener.nats);
  return (await manager.streams.info(EVENT_STREAM)).state.messages;
}

/** Terminates each connection that uses this service's role and matches an SQL condition. Returns their number. */
async function endBackends(which: string): Promise<number> {
  const sql = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where usename = current_user and pid <> pg_backend_pid() and ${which}`;
  return (await query(fixture.database, sql)).length;
}

async function leading({ runtime }: Replica): Promise<boolean> {
  return /^tocsin_outbox_relaying\{.*\} 1$/m.test(await runtime.metrics.metrics());
}

test('events of one aggregate arrive in order, and are removed from the outbox', async () => {
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  const aggregate = crypto.randomUUID();
  await say(fixture.database, aggregate, 'one', 'two');
  await say(fixture.database, aggregate, 'three');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['one', 'two', 'three']));
  await eventually(async () => expect(await unpublished()).toBe(0));
});

test('an event whose change was rolled back is never published', async () => {
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  const aggregate = crypto.randomUUID();
  const regretted = fixture.database.transaction({ organizationId }, async (tx) => {
    await sayIn(tx, aggregate, ['never']);
    throw new Error('rolled back');
  });
  await expect(regretted).rejects.toThrow('rolled back');
  // If the rolled-back event were published, it would come before this event.
  await say(fixture.database, aggregate, 'afterwards');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['afterwards']));
});

test('concurrent transactions number the events of an aggregate without gaps', async () => {
  const aggregate = crypto.randomUUID();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => say(fixture.database, aggregate, `${index}`, `${index}+`)),
  );
  const sql = 'select sequence, text from consumed where aggregate_id = $1 order by position';
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  await eventually(async () => expect(await consumed(aggregate)).toHaveLength(40));
  const rows = await query<{ sequence: number; text: string }>(fixture.database, sql, [aggregate]);
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  for (let index = 0; index < 40; index += 2) expect(rows[index + 1]?.text).toBe(`${rows[index]?.text}+`);
});

test('events of several aggregates are numbered in the order in which they were appended', async () => {
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  const append = (now: Date, texts: readonly (readonly [string, string])[]) =>
    fixture.database.transaction({ organizationId }, (tx) => {
      const events = texts.map(([aggregateId, value]) =>
        outgoingEvent(StringValueSchema, { value }, { organizationId, aggregateId }),
      );
      return appendEvents(tx, events, now);
    });
  const [earlier, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
  await append(earlier, [
    [second, 'a'],
    [first, 'b'],
  ]);
  await append(later, [
    [first, 'c'],
    [second, 'd'],
    [first, 'e'],
  ]);
  const rows = await query(
    fixture.database,
    'select aggregate_id, sequence, previous_at, occurred_at from outbox order by position',
  );
  expect(rows).toEqual([
    { aggregate_id: second, sequence: 1, previous_at: null, occurred_at: earlier },
    { aggregate_id: first, sequence: 1, previous_at: null, occurred_at: earlier },
    { aggregate_id: first, sequence: 2, previous_at: earlier, occurred_at: later },
    { aggregate_id: second, sequence: 2, previous_at: earlier, occurred_at: later },
    { aggregate_id: first, sequence: 3, previous_at: later, occurred_at: later },
  ]);
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  await eventually(async () => expect(await consumed(first)).toHaveLength(3));
});

test('appending events costs no round trip to the database', async () => {
  const event = outgoingEvent(StringValueSchema, { value: '' }, { organizationId, aggregateId: crypto.randomUUID() });
  const undo = new Error('undo');
  await expect(
    fixture.database.transaction({ organizationId }, async (tx) => {
      const counted = countRoundTrips(tx);
      await appendEvents(counted, [event, { ...event, id: crypto.randomUUID() }]);
      expect(counted.roundTrips).toBe(0);
      expect(await tx.query('select from outbox where aggregate_id = $1', [event.aggregateId])).toHaveLength(2);
      throw undo;
    }),
  ).rejects.toBe(undo);
});

test('an event whose service died after the commit is published by the next relay', async () => {
  const aggregate = crypto.randomUUID();
  // Commit while no relay runs, like a service that dies immediately after the commit.
  await say(fixture.database, aggregate, 'committed');
  expect(await unpublished()).toBe(1);
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['committed']));
});

test('an event whose relay was killed between publishing and deleting is applied once', async () => {
  const aggregate = crypto.randomUUID();
  const before = await publishedCount();
  await say(fixture.database, aggregate, 'published');
  const blocker = new pg.Client({ connectionString: fixture.databaseUrl });
  await blocker.connect();
  try {
    // Block the relay's delete, but not its reading and publishing.
    await blocker.query('begin; set local tocsin.every_organization to on');
    await blocker.query('select from outbox for share');
    await using program = await runProgram('relaying-program.ts', fixture.databaseUrl, fixture.nats.url);
    await eventually(async () => expect(await publishedCount()).toBe(before + 1));
    const deletes = "query like '%delete from outbox%' and wait_event_type = 'Lock'";
    const waiting = `select from pg_stat_activity where usename = current_user and ${deletes}`;
    await eventually(async () => expect(await query(fixture.database, waiting)).toHaveLength(1));
    await program.kill();
    // The backend of the killed program still waits for the lock. Without this step, it would delete the row later.
    expect(await endBackends(deletes)).toBe(1);
  } finally {
    await blocker.end();
  }
  expect(await unpublished()).toBe(1);
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  await say(fixture.database, aggregate, 'next');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['published', 'next']));
  await eventually(async () => expect(await unpublished()).toBe(0));
  // The stream dropped the second copy because of its id.
  expect(await publishedCount()).toBe(before + 2);
});

test('only the first of two relays publishes, and the second one takes over when the first one dies', async () => {
  await using standby = await startReplica(fixture.nats.url);
  const aggregate = crypto.randomUUID();
  await using first = await runProgram('relaying-program.ts', fixture.databaseUrl, fixture.nats.url);
  await say(fixture.database, aggregate, 'by the first');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['by the first']));

  await using _second = await relayOf(standby);
  await say(fixture.database, aggregate, 'still by the first');
  await eventually(async () => expect(await consumed(aggregate)).toHaveLength(2));
  expect(await leading(standby)).toBe(false);

  await first.kill();
  await say(fixture.database, aggregate, 'by the second');
  await eventually(async () => expect(await consumed(aggregate)).toHaveLength(3));
  expect(await leading(standby)).toBe(true);
});

test('an outage of NATS delays events but does not lose any', async () => {
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  const aggregate = crypto.randomUUID();
  await say(fixture.database, aggregate, 'before');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['before']));
  await fixture.nats.stop();
  await say(fixture.database, aggregate, 'during', 'during, too');
  await say(fixture.database, crypto.randomUUID(), 'another');
  expect(await unpublished()).toBeGreaterThan(0);
  await fixture.nats.start();
  await say(fixture.database, aggregate, 'after');
  const expected = ['before', 'during', 'during, too', 'after'];
  await eventually(async () => expect(await consumed(aggregate)).toEqual(expected), { timeoutMs: 20_000 });
});

test('a relay whose events NATS does not accept lets another one publish them, and is ready while that one does', async () => {
  await using unreachable = await testNats();
  await using first = await startReplica(unreachable.url);
  await using second = await startReplica(fixture.nats.url);
  first.runtime.readiness.started();
  const events = async () => (await first.runtime.readiness.report()).checks.events;
  await using _first = await relayOf(first);
  await eventually(async () => expect(await leading(first)).toBe(true));
  await using _second = await relayOf(second);
  await unreachable.stop();
  const aggregate = crypto.randomUUID();
  await say(fixture.database, aggregate, 'through another');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['through another']), { timeoutMs: 20_000 });
  await eventually(async () => expect(await events()).toBe('ok'));
  expect(await leading(first)).toBe(false);
});

test('a lost connection to the database is replaced', async () => {
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  await eventually(async () => expect(await leading(replica)).toBe(true));
  expect(await endBackends("pid in (select pid from pg_locks where locktype = 'advisory')")).toBe(1);
  const aggregate = crypto.randomUUID();
  await say(fixture.database, aggregate, 'after the cut');
  await eventually(async () => expect(await consumed(aggregate)).toEqual(['after the cut']));
});

test('a backlog of many or large events delays only the events of its organization', async () => {
  const { database } = fixture;
  const [flooding, fat] = [crypto.randomUUID(), crypto.randomUUID()];
  const numbers = Array.from({ length: 1_000 }, (_, index) => `${index}`);
  await say(database, fat, ...Array.from({ length: 20 }, () => 'x'.repeat(200_000)));
  await say(database, flooding, ...numbers);
  const other = crypto.randomUUID();
  const event = outgoingEvent(StringValueSchema, { value: 'mine' }, { organizationId: other, aggregateId: other });
  await database.transaction({ organizationId: other }, (tx) => appendEvents(tx, [event]));
  expect(await unpublished()).toBe(1_021);

  await using replica = await startReplica(fixture.nats.url);
  await using _relay = await relayOf(replica);
  await eventually(async () => expect(await consumed(flooding)).toHaveLength(1_000), { timeoutMs: 120_000 });
  expect(await consumed(flooding)).toEqual(numbers);
  expect(await consumed(fat)).toHaveLength(20);
  const [row] = await query<{ before: number }>(
    database,
    `select count(*) as before from consumed where aggregate_id in ('${flooding}', '${fat}')
     and position < (select position from consumed where aggregate_id = '${other}')`,
  );
  // Only events of the first batch were published before the other organization's event.
  expect(row?.before).toBeLessThan(200);
}, 180_000);
