import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import type { JsMsg } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metersOf } from '../src/consumer-metrics.ts';
import { deliver } from '../src/deliver.ts';
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

test('the reach of the stream stays as it is known while NATS does not respond', async () => {
  const own = await startReplica(fixture.nats.url);
  const reach = new StreamReach(own.nats);
  await own.nats.close();
  expect((await reach.keptSince(true)).getTime()).toBeLessThan(Date.now());
  await own[Symbol.asyncDispose]();
});
