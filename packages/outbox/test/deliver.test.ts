import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import type { Database, Transaction } from '@tocsin/database';
import { countRoundTrips } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metersOf } from '../src/consumer-metrics.ts';
import { type Delivery, deliver, deliverTogether } from '../src/deliver.ts';
import { onTogether } from '../src/handler.ts';
import { headersOf } from '../src/headers.ts';
import type { ReceivedMessage } from '../src/received-message.ts';
import { StreamReach } from '../src/stream-reach.ts';
import { textPayload } from './consumer-fixture.ts';
import {
  type Fixture,
  openFixture,
  organizationId,
  query,
  type Replica,
  startReplica,
  subject,
} from './outbox-fixture.ts';

let fixture: Fixture;
let replica: Replica;

beforeAll(async () => {
  fixture = await openFixture();
  replica = await startReplica(fixture.nats.url);
});

afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

test('an event that arrives before its predecessor never becomes a dead letter, whatever failed before', async () => {
  const { database } = fixture;
  const id = crypto.randomUUID();
  const now = new Date();
  const meta = {
    id,
    type: StringValueSchema.typeName,
    organizationId,
    aggregateId: crypto.randomUUID(),
    sequence: 2,
    occurredAt: now,
    previousAt: now,
  };
  const settled: string[] = [];
  const message = {
    subject,
    headers: headersOf(meta, ''),
    data: textPayload('two'),
    info: { deliveryCount: 11 },
    ack: () => void settled.push('ack'),
    nak: () => void settled.push('nak'),
    term: () => void settled.push('term'),
  } as unknown as ReceivedMessage;
  const reach = new StreamReach(replica.nats);
  let reads = 0;
  // The first call in deliver() fails; the second one is that of the dead letter.
  const failing = {
    async keptSince(exactly: boolean) {
      reads += 1;
      if (reads === 1) throw new TypeError('never works');
      return reach.keptSince(exactly);
    },
  };
  const options = { name: 'early', source: 'google.protobuf', handlers: [], database, ...replica };
  const failures = new Map([[id, 4]]);
  await deliver(message, { ...context(), options, failures, reach: failing as StreamReach });
  expect(settled).toEqual(['nak']);
  expect(await query(database, 'select 1 from dead_letter where event_id = $1', [id])).toEqual([]);
});

/** Returns an event as its first delivery, and adds how it is settled to `settled`. */
function firstDelivery(
  text: string,
  settled: string[],
  { sequence = 1, aggregateId = crypto.randomUUID() } = {},
): ReceivedMessage {
  const now = new Date();
  const meta = {
    id: crypto.randomUUID(),
    type: StringValueSchema.typeName,
    organizationId,
    aggregateId,
    sequence,
    occurredAt: now,
    previousAt: sequence === 1 ? undefined : now,
  };
  return {
    subject,
    headers: headersOf(meta, ''),
    data: textPayload(text),
    info: { deliveryCount: 1 },
    ack: () => void settled.push(`${text} handled`),
    nak: () => void settled.push(`${text} returned`),
  } as unknown as ReceivedMessage;
}

/** Returns the context of deliveries to a handler that stores texts, and counts its round trips to the database. */
function deliveryTo(name: string, store: (tx: Transaction, texts: readonly string[]) => Promise<unknown>) {
  const counted = { roundTrips: 0 };
  const transaction: Database['transaction'] = (scope, work) =>
    fixture.database.transaction(scope, async (tx) => {
      const counting = countRoundTrips(tx);
      const result = await work(counting);
      counted.roundTrips += counting.roundTrips;
      return result;
    });
  const handler = onTogether(StringValueSchema, (events, tx) =>
    store(
      tx,
      events.map(({ message }) => message.value),
    ).then(() => undefined),
  );
  const database = { transaction } as Database;
  const options = { name, source: 'google.protobuf', handlers: [handler], database, ...replica };
  const delivery: Delivery = { ...context(), options };
  return { delivery, counted };
}

/** Returns the context of a delivery by a consumer of which no events wait in the database. */
function context() {
  return {
    meters: metersOf(replica.runtime),
    failures: new Map<string, number>(),
    reach: new StreamReach(replica.nats),
    backlog: { takeEarly: async () => false },
  };
}

/** Returns a function that stores texts under the name of a consumer. */
const storing = (name: string) => (tx: Transaction, texts: readonly string[]) =>
  tx.query(
    `insert into consumed (consumer, aggregate_id, sequence, text) select $1, gen_random_uuid(), 1, unnest($2::text[])`,
    [name, texts],
  );

const storedBy = async (name: string) =>
  (await query<{ text: string }>(fixture.database, 'select text from consumed where consumer = $1', [name])).map(
    ({ text }) => text,
  );

test.each([['one'], ['one', 'two', 'three']])(
  'the first statement of a handler is sent together with the claim of its events',
  async (...texts) => {
    const name = `gathered-${texts.length}`;
    const settled: string[] = [];
    const { delivery, counted } = deliveryTo(name, storing(name));
    const messages = texts.map((text) => firstDelivery(text, settled));
    if (messages.length > 1) await deliverTogether(messages, delivery);
    else for (const message of messages) await deliver(message, delivery);
    expect(settled).toEqual(texts.map((text) => `${text} handled`));
    expect(await storedBy(name)).toEqual(texts);
    expect(counted.roundTrips).toBe(1);
  },
);

test.each([false, true])(
  'a handler leaves no effect of an event that was handled before, or that is early, also if it fails (%s)',
  async (isFailing) => {
    const name = `repeated-${isFailing}`;
    const settled: string[] = [];
    const { delivery } = deliveryTo(name, async (tx, texts) => {
      await storing(name)(tx, texts);
      if (isFailing && !texts.includes('first')) await tx.query('select 1 / 0');
    });
    const aggregateId = crypto.randomUUID();
    await deliver(firstDelivery('first', settled, { aggregateId }), delivery);
    await deliver(firstDelivery('repeat', settled, { aggregateId }), delivery);
    await deliver(firstDelivery('third', settled, { aggregateId, sequence: 3 }), delivery);
    expect(settled).toEqual(['first handled', 'repeat handled', 'third returned']);
    expect(await storedBy(name)).toEqual(['first']);
  },
);

test('the reach of the stream stays as it is known while NATS does not respond', async () => {
  const own = await startReplica(fixture.nats.url);
  const reach = new StreamReach(own.nats);
  await own.nats.close();
  expect((await reach.keptSince(true)).getTime()).toBeLessThan(Date.now());
  await own[Symbol.asyncDispose]();
});
