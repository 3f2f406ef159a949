import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import type { JsMsg } from '@nats-io/jetstream';
import type { Database } from '@tocsin/database';
import { countRoundTrips } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metersOf } from '../src/consumer-metrics.ts';
import { deliver, deliverTogether } from '../src/deliver.ts';
import { onTogether } from '../src/handler.ts';
import { headersOf } from '../src/headers.ts';
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
  } as unknown as JsMsg;
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
  await deliver(message, { options, meters: metersOf(replica.runtime), failures, reach: failing as StreamReach });
  expect(settled).toEqual(['nak']);
  expect(await query(database, 'select 1 from dead_letter where event_id = $1', [id])).toEqual([]);
});

test('the first statement of a handler is sent together with the claim of its events', async () => {
  const { database } = fixture;
  const settled: string[] = [];
  const messages = ['one', 'two', 'three'].map((text) => {
    const meta = {
      id: crypto.randomUUID(),
      type: StringValueSchema.typeName,
      organizationId,
      aggregateId: crypto.randomUUID(),
      sequence: 1,
      occurredAt: new Date(),
      previousAt: undefined,
    };
    const data = textPayload(text);
    return { subject, headers: headersOf(meta, ''), data, ack: () => void settled.push(text) } as unknown as JsMsg;
  });
  let roundTrips = 0;
  const counting: Database['transaction'] = (scope, work) =>
    database.transaction(scope, async (tx) => {
      const counted = countRoundTrips(tx);
      const result = await work(counted);
      roundTrips += counted.roundTrips;
      return result;
    });
  const handler = onTogether(StringValueSchema, async (events, tx) => {
    const texts = events.map(({ message }) => message.value);
    await tx.query(
      `insert into consumed (consumer, aggregate_id, sequence, text) select 'gathered', $1, 1, unnest($2::text[])`,
      [events[0]?.meta.aggregateId, texts],
    );
  });
  const options = { name: 'gathered', source: 'google.protobuf', handlers: [handler], ...replica };
  await deliverTogether(messages, {
    options: { ...options, database: { transaction: counting } as Database },
    meters: metersOf(replica.runtime),
    failures: new Map(),
    reach: new StreamReach(replica.nats),
  });
  expect(settled).toEqual(['one', 'two', 'three']);
  expect(await query(database, `select text from consumed where consumer = 'gathered'`)).toHaveLength(3);
  expect(roundTrips).toBe(1);
});

test('the reach of the stream stays as it is known while NATS does not respond', async () => {
  const own = await startReplica(fixture.nats.url);
  const reach = new StreamReach(own.nats);
  await own.nats.close();
  expect((await reach.keptSince(true)).getTime()).toBeLessThan(Date.now());
  await own[Symbol.asyncDispose]();
});
