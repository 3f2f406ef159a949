import { jetstreamManager } from '@nats-io/jetstream';
import type { Database } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { createEventSlots, EVENT_STREAM } from '../src/index.ts';
import { openScene, type Scene, textPayload } from './consumer-fixture.ts';
import { counted, query, recording, recordingTogether } from './outbox-fixture.ts';

/** An organization may have half of this memory: HELD events. */
const small = { memoryBytes: 42_000 };
const HELD = 10;

/** Returns a promise at which handlers wait until it is resolved, at the latest when the test ends. */
function newGate(): Disposable & { readonly promise: Promise<void>; resolve(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, resolve, [Symbol.dispose]: resolve };
}

/** Publishes events 1 to `last` of each aggregate, the first ones of all aggregates first. */
async function publishAll(scene: Scene, aggregates: readonly string[], last: number, payload?: Uint8Array) {
  await publishMore(scene, aggregates, 1, last, payload);
}

/** Publishes events `from` to `to` of each aggregate, the first ones of all aggregates first. */
async function publishMore(
  scene: Scene,
  aggregates: readonly string[],
  from: number,
  to: number,
  payload?: Uint8Array,
): Promise<void> {
  for (let sequence = from; sequence <= to; sequence += 1) {
    for (const aggregateId of aggregates) await scene.publish({ aggregateId, sequence, ...(payload && { payload }) });
  }
}

function newIds(count: number): string[] {
  return Array.from({ length: count }, () => crypto.randomUUID());
}

/** Returns the number of the consumer's events in the database. */
async function waiting(scene: Scene, consumer: string): Promise<number> {
  const rows = await query<{ events: number }>(
    scene.database,
    'select count(*) as events from waiting_event where consumer = $1',
    [consumer],
  );
  return rows[0]?.events ?? 0;
}

async function unacknowledged(scene: Scene, consumer: string): Promise<number> {
  const { consumers } = await jetstreamManager(scene.replica.nats);
  return (await consumers.info(EVENT_STREAM, consumer)).num_ack_pending;
}

function texts(last: number): string[] {
  return Array.from({ length: last }, (_, index) => `event ${index + 1}`);
}

async function expectAll(scene: Scene, consumer: string, aggregates: readonly string[], last: number): Promise<void> {
  for (const aggregateId of aggregates) {
    await eventually(async () => expect(await scene.consumed(consumer, aggregateId)).toEqual(texts(last)), {
      timeoutMs: 30_000,
    });
  }
  await eventually(async () => expect(await waiting(scene, consumer)).toBe(0));
}

test.concurrent('events that exceed the memory wait in the database, and each is handled once and in order', async () => {
  await using scene = await openScene();
  using gate = newGate();
  const own = await scene.consume('crowded', [recording('crowded', () => gate.promise)], [], small);
  const aggregates = newIds(20);
  await publishAll(scene, aggregates, 5);
  await eventually(async () => expect(await waiting(scene, 'crowded')).toBe(100 - HELD));
  expect(await unacknowledged(scene, 'crowded')).toBe(HELD);
  expect(await counted(own, 'tocsin_event_backlog_stored_total')).toBe(100 - HELD);
  await eventually(async () => expect(await counted(own, 'tocsin_event_backlog_organizations')).toBe(1));

  const other = crypto.randomUUID();
  await scene.publish({ aggregateId: other, sequence: 1, organization: crypto.randomUUID() });
  await eventually(async () => expect(await unacknowledged(scene, 'crowded')).toBe(HELD + 1));

  gate.resolve();
  await expectAll(scene, 'crowded', aggregates, 5);
  await eventually(async () => expect(await scene.consumed('crowded', other)).toEqual(['event 1']));
  expect(await counted(own, 'tocsin_events_repeated_total')).toBe(0);

  // Nothing waits any longer, so a new event is not stored.
  await eventually(async () => expect(await counted(own, 'tocsin_event_backlog_organizations')).toBe(0));
  const [first = ''] = aggregates;
  await scene.publish({ aggregateId: first, sequence: 6 });
  await eventually(async () => expect(await scene.consumed('crowded', first)).toHaveLength(6));
  expect(await counted(own, 'tocsin_event_backlog_stored_total')).toBe(100 - HELD);
});

test.concurrent('while events of an organization wait, events of another one are handled', async () => {
  await using scene = await openScene();
  using gate = newGate();
  const flood = newIds(200);
  const slow = textPayload('slow');
  const handler = recording('walled', (text) => (text === 'slow' ? gate.promise : undefined));
  await scene.consume('walled', [handler], [], small);
  await publishAll(scene, flood, 1, slow);
  await eventually(async () => expect(await waiting(scene, 'walled')).toBe(200 - HELD));
  const other = crypto.randomUUID();
  await scene.publish({ aggregateId: other, sequence: 1, organization: crypto.randomUUID() });
  await eventually(async () => expect(await scene.consumed('walled', other)).toEqual(['event 1']));
  gate.resolve();
  await eventually(async () => expect(await waiting(scene, 'walled')).toBe(0), { timeoutMs: 30_000 });
});

test.concurrent('an event about an organization itself does not wait for the other events of the organization', async () => {
  await using scene = await openScene();
  using gate = newGate();
  const organization = crypto.randomUUID();
  const slow = textPayload('slow');
  const handler = recording('stopped', (text) => (text === 'slow' ? gate.promise : undefined));
  await scene.consume('stopped', [handler], [], small);
  for (const aggregateId of newIds(50)) await scene.publish({ aggregateId, sequence: 1, organization, payload: slow });
  await eventually(async () => expect(await waiting(scene, 'stopped')).toBe(50 - HELD));
  await scene.publish({ aggregateId: organization, sequence: 1, organization });
  await eventually(async () => expect(await scene.consumed('stopped', organization)).toEqual(['event 1']));
  gate.resolve();
  await eventually(async () => expect(await waiting(scene, 'stopped')).toBe(0), { timeoutMs: 30_000 });
});

test.concurrent('waiting events that may share a transaction are handled together', async () => {
  await using scene = await openScene();
  using gate = newGate();
  const groups: number[] = [];
  const handler = recordingTogether('grouped', (group) => {
    groups.push(group.length);
    return gate.promise;
  });
  await scene.consume('grouped', [handler], [], small);
  const aggregates = newIds(100);
  await publishAll(scene, aggregates, 1);
  await eventually(async () => expect(await waiting(scene, 'grouped')).toBeGreaterThanOrEqual(80));
  gate.resolve();
  await expectAll(scene, 'grouped', aggregates, 1);
  expect(Math.max(...groups)).toBeGreaterThan(5);
});

test.concurrent('another replica handles waiting events after their reader has stopped', async () => {
  await using scene = await openScene();
  using gate = newGate();
  await scene.consume('inherited', [recording('inherited', () => gate.promise)], [], small);
  const aggregates = newIds(10);
  await publishAll(scene, aggregates, 4);
  await eventually(async () => expect(await waiting(scene, 'inherited')).toBe(40 - HELD));
  const stopped = scene.stopConsumers();
  gate.resolve();
  await stopped;
  await scene.consume('inherited', [recording('inherited')], [], small);
  await expectAll(scene, 'inherited', aggregates, 4);
});

test.concurrent('replicas that store events of the same aggregates handle each once and in order', async () => {
  await using scene = await openScene();
  using gate = newGate();
  for (let replica = 1; replica <= 3; replica += 1) {
    await scene.consume('several', [recording('several', () => gate.promise)], [], {
      ...small,
      slots: createEventSlots(4),
    });
  }
  const aggregates = newIds(20);
  await publishAll(scene, aggregates, 5);
  await eventually(async () => expect(await waiting(scene, 'several')).toBeGreaterThan(60));
  gate.resolve();
  await publishMore(scene, aggregates, 6, 10);
  await expectAll(scene, 'several', aggregates, 10);
});

test.concurrent('an event whose predecessor waits in the database waits there, too', async () => {
  await using scene = await openScene();
  using gate = newGate();
  await scene.consume('leading', [recording('leading', () => gate.promise)], [], small);
  const aggregates = newIds(30);
  await publishAll(scene, aggregates, 1);
  await eventually(async () => expect(await waiting(scene, 'leading')).toBe(30 - HELD));
  // The other replica has room for the next events.
  await scene.consume('leading', [recording('leading')]);
  await publishMore(scene, aggregates, 2, 3);
  await eventually(async () => expect(await waiting(scene, 'leading')).toBeGreaterThan(60));
  gate.resolve();
  await expectAll(scene, 'leading', aggregates, 3);
});

test.concurrent('a waiting event is handled although its predecessor comes later', async () => {
  await using scene = await openScene();
  using gate = newGate();
  await scene.consume('disordered', [recording('disordered', () => gate.promise)], [], small);
  const filling = newIds(HELD);
  await publishAll(scene, filling, 1);
  const aggregates = newIds(30);
  for (const sequence of [3, 2]) for (const aggregateId of aggregates) await scene.publish({ aggregateId, sequence });
  await eventually(async () => expect(await waiting(scene, 'disordered')).toBe(60));
  gate.resolve();
  await expectAllOf(scene, 'disordered', filling, ['event 1']);
  await publishAll(scene, aggregates, 1);
  await expectAll(scene, 'disordered', aggregates, 3);
});

async function expectAllOf(scene: Scene, consumer: string, aggregates: readonly string[], expected: string[]) {
  for (const aggregateId of aggregates) {
    await eventually(async () => expect(await scene.consumed(consumer, aggregateId)).toEqual(expected));
  }
}

test.concurrent('a waiting event whose predecessor the stream has discarded is handled', async () => {
  await using scene = await openScene();
  using gate = newGate();
  await scene.consume('late', [recording('late', () => gate.promise)], [], small);
  const filling = newIds(HELD);
  await publishAll(scene, filling, 1);
  const previousAt = new Date(Date.now() - 2 * 3_600_000);
  const discarded = crypto.randomUUID();
  await scene.publish({ aggregateId: discarded, sequence: 5, previousAt });
  await eventually(async () => expect(await waiting(scene, 'late')).toBe(1));
  gate.resolve();
  await eventually(async () => expect(await scene.consumed('late', discarded)).toEqual(['event 5']), {
    timeoutMs: 30_000,
  });
});

test.concurrent('a waiting event is retried after a temporary failure, and becomes a dead letter after others', async () => {
  await using scene = await openScene();
  using gate = newGate();
  const failures = { temporary: 0 };
  const handler = recording('failing', async (text) => {
    await gate.promise;
    if (text === 'poison') throw new TypeError('never works');
    if (text === 'hard' && failures.temporary < 3) {
      failures.temporary += 1;
      throw new ServiceError('unavailable', 'the mail server is unavailable');
    }
  });
  await scene.consume('failing', [handler], [], small);
  await publishAll(scene, newIds(HELD), 1);
  const aggregateId = crypto.randomUUID();
  await scene.publish({ aggregateId, sequence: 1, payload: textPayload('hard') });
  await scene.publish({ aggregateId, sequence: 2, payload: textPayload('poison') });
  await scene.publish({ aggregateId, sequence: 3, payload: textPayload('good') });
  await eventually(async () => expect(await waiting(scene, 'failing')).toBe(3));
  gate.resolve();
  await eventually(async () => expect(await scene.consumed('failing', aggregateId)).toEqual(['hard', 'good']), {
    timeoutMs: 30_000,
  });
  expect(await scene.deadLetters('failing')).toMatchObject([{ aggregate_id: aggregateId, sequence: 2 }]);
  await eventually(async () => expect(await waiting(scene, 'failing')).toBe(0));
});

test.concurrent('events that can not be stored return to the stream, and are handled in the end', async () => {
  await using scene = await openScene();
  using gate = newGate();
  let refusals = 0;
  const database: Database = {
    ...scene.database,
    url: scene.database.url,
    endedTransactions: 0,
    transaction: (scope, work, limits) =>
      scene.database.transaction(
        scope,
        async (tx) => {
          if (scope === 'every organization' && refusals < 2) {
            refusals += 1;
            throw new ServiceError('unavailable', 'the database does not respond');
          }
          return work(tx);
        },
        limits,
      ),
    read: (...call) => scene.database.read(...call),
    count: (...call) => scene.database.count(...call),
  };
  await scene.consume('refused', [recording('refused', () => gate.promise)], [], { ...small, database });
  const aggregates = newIds(15);
  await publishAll(scene, aggregates, 2);
  await eventually(async () => expect(await waiting(scene, 'refused')).toBe(30 - HELD), { timeoutMs: 20_000 });
  expect(refusals).toBe(2);
  gate.resolve();
  await expectAll(scene, 'refused', aggregates, 2);
});
