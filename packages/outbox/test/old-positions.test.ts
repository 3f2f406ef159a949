import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deleteOldPositions, EVENT_STREAM } from '../src/index.ts';
import { openScene, type Scene } from './consumer-fixture.ts';
import { query, recording, say } from './outbox-fixture.ts';

const CONSUMER = 'cursors';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

let scene: Scene;

beforeAll(async () => {
  scene = stack.use(await openScene());
  await query(scene.database, 'create table first_kind (id uuid)');
  await query(scene.database, 'create table second_kind (id uuid)');
  await scene.consume(CONSUMER, [recording(CONSUMER)]);
});

// The stream is not empty.
beforeEach(() => handled(randomUUID(), 'recent'));

/** Appends an event, and waits until the consumer has handled it. */
async function handled(aggregateId: string, text: string): Promise<void> {
  await say(scene.database, aggregateId, text);
  await eventually(async () => expect((await scene.consumed(CONSUMER, aggregateId)).at(-1)).toBe(text));
}

/** Makes the last event of an aggregate older. */
async function age(aggregateId: string, days: number): Promise<void> {
  await query(scene.database, 'alter table inbox disable trigger handled_today');
  await query(scene.database, 'update inbox set handled_on = current_date - $2::int where aggregate_id = $1', [
    aggregateId,
    days,
  ]);
  await query(scene.database, 'alter table inbox enable trigger handled_today');
  const sql = "update outbox_sequence set last_at = now() - $2 * interval '1 day' where aggregate_id = $1";
  await query(scene.database, sql, [aggregateId, days]);
}

async function deleteOld(aggregates: string[] = []): Promise<void> {
  const { database, replica } = scene;
  expect(await deleteOldPositions({ database, nats: replica.nats, aggregates })).toBe('done');
}

const cursorsOf = (aggregateId: string) =>
  query<{ sequence: number }>(scene.database, 'select sequence from inbox where aggregate_id = $1', [aggregateId]);
const numbersOf = (aggregateId: string) =>
  query<{ last: number }>(scene.database, 'select last from outbox_sequence where aggregate_id = $1', [aggregateId]);

test('a cursor is deleted once the stream no longer contains its last event, and the next events are handled', async () => {
  const aggregateId = randomUUID();
  await handled(aggregateId, 'one');
  await handled(aggregateId, 'two');
  await age(aggregateId, 8);
  await deleteOld();
  expect(await cursorsOf(aggregateId)).toEqual([{ sequence: 2 }]);

  await age(aggregateId, 10);
  await deleteOld();
  expect(await cursorsOf(aggregateId)).toEqual([]);
  await say(scene.database, aggregateId, 'three', 'four');
  await eventually(async () =>
    expect(await scene.consumed(CONSUMER, aggregateId)).toEqual(['one', 'two', 'three', 'four']),
  );
  expect(await cursorsOf(aggregateId)).toEqual([{ sequence: 4 }]);
});

test('a cursor is kept while its aggregate has events, also if a program of before handles them', async () => {
  const aggregateId = randomUUID();
  await handled(aggregateId, 'one');
  await age(aggregateId, 10);
  await handled(aggregateId, 'two');
  await deleteOld();
  expect(await cursorsOf(aggregateId)).toEqual([{ sequence: 2 }]);

  await age(aggregateId, 10);
  await query(scene.database, 'update inbox set sequence = 3 where aggregate_id = $1', [aggregateId]);
  await deleteOld();
  expect(await cursorsOf(aggregateId)).toEqual([{ sequence: 3 }]);
});

test('the numbers of an aggregate are deleted only if it is in no table and had no event for days', async () => {
  const [gone, recent, first, second] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const aggregateId of [gone, recent, first, second]) await handled(aggregateId, 'one');
  for (const aggregateId of [gone, first, second]) await age(aggregateId, 10);
  await age(recent, 8);
  await query(scene.database, 'insert into first_kind values ($1)', [first]);
  await query(scene.database, 'insert into second_kind values ($1)', [second]);
  await deleteOld();
  expect(await numbersOf(gone)).toEqual([{ last: 1 }]);
  await deleteOld(['first_kind', 'second_kind']);
  expect(await numbersOf(gone)).toEqual([]);
  for (const aggregateId of [recent, first, second]) expect(await numbersOf(aggregateId)).toEqual([{ last: 1 }]);
});

test('nothing is deleted while the stream is empty, because its age is unknown', async () => {
  const aggregateId = randomUUID();
  await handled(aggregateId, 'one');
  await age(aggregateId, 10);
  const { streams } = await jetstreamManager(scene.replica.nats, { checkAPI: false });
  await streams.purge(EVENT_STREAM);
  await deleteOld(['first_kind']);
  expect(await cursorsOf(aggregateId)).toEqual([{ sequence: 1 }]);
  expect(await numbersOf(aggregateId)).toEqual([{ last: 1 }]);
});
