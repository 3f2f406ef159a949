import { setTimeout as sleep } from 'node:timers/promises';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { ServiceError } from '@tocsin/errors';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { EVENT_STREAM, type EventHandler } from '../src/index.ts';
import { openScene, textPayload } from './consumer-fixture.ts';
import { counted, query, recording, say, subject } from './outbox-fixture.ts';

test.concurrent('each consumer gets every event once', async () => {
  await using scene = await openScene();
  await scene.consume('left', [recording('left')]);
  await scene.consume('right', [recording('right')]);
  const aggregate = crypto.randomUUID();
  await say(scene.database, aggregate, 'one', 'two');
  for (const consumer of ['left', 'right']) {
    await eventually(async () => expect(await scene.consumed(consumer, aggregate)).toEqual(['one', 'two']));
  }
});

test.concurrent('replicas share the events, and each event is applied once and in order', async () => {
  await using scene = await openScene();
  const replicas = [
    await scene.consume('shared', [recording('shared')]),
    await scene.consume('shared', [recording('shared')]),
  ];
  const aggregates = Array.from({ length: 10 }, () => crypto.randomUUID());
  for (let round = 0; round < 8; round += 1) {
    await Promise.all(aggregates.map((aggregate) => say(scene.database, aggregate, `${round}`)));
  }
  for (const aggregate of aggregates) {
    const expected = ['0', '1', '2', '3', '4', '5', '6', '7'];
    await eventually(async () => expect(await scene.consumed('shared', aggregate)).toEqual(expected));
  }
  for (const each of replicas) expect(await counted(each, 'tocsin_events_handled_total')).toBeGreaterThan(0);
});

test.concurrent('events that are delivered again are not applied again', async () => {
  await using scene = await openScene();
  const aggregate = crypto.randomUUID();
  await scene.consume('forgetful', [recording('forgetful')]);
  await say(scene.database, aggregate, 'one', 'two', 'three');
  await eventually(async () => expect(await scene.consumed('forgetful', aggregate)).toHaveLength(3));
  await scene.stopConsumers();

  // Delete the consumer's state in NATS, so that all events are delivered again.
  await (await jetstreamManager(scene.replica.nats)).consumers.delete(EVENT_STREAM, 'forgetful');
  const again = await scene.consume('forgetful', [recording('forgetful')]);
  await eventually(async () => expect(await counted(again, 'tocsin_events_repeated_total')).toBeGreaterThanOrEqual(3));
  expect(await scene.consumed('forgetful', aggregate)).toEqual(['one', 'two', 'three']);
});

test.concurrent('a duplicate that the stream does not recognize is not applied again', async () => {
  await using scene = await openScene();
  await scene.consume('copies', [recording('copies')]);
  const aggregateId = crypto.randomUUID();
  await scene.publish({ aggregateId, sequence: 1 });
  await scene.publish({ aggregateId, sequence: 1 });
  await scene.publish({ aggregateId, sequence: 2 });
  await scene.publish({ aggregateId, sequence: 2 });
  await scene.publish({ aggregateId, sequence: 3 });
  await eventually(async () =>
    expect(await scene.consumed('copies', aggregateId)).toEqual(['event 1', 'event 2', 'event 3']),
  );
});

test.concurrent('an event that arrives before its predecessor is applied after the predecessor', async () => {
  await using scene = await openScene();
  const own = await scene.consume('patient', [recording('patient')]);
  const aggregateId = crypto.randomUUID();
  await scene.publish({ aggregateId, sequence: 3 });
  await scene.publish({ aggregateId, sequence: 2 });
  const other = crypto.randomUUID();
  await say(scene.database, other, 'of another aggregate');
  await eventually(async () => expect(await scene.consumed('patient', other)).toHaveLength(1));
  expect(await scene.consumed('patient', aggregateId)).toEqual([]);
  await scene.publish({ aggregateId, sequence: 1 });
  await eventually(async () =>
    expect(await scene.consumed('patient', aggregateId)).toEqual(['event 1', 'event 2', 'event 3']),
  );
  expect(await counted(own, 'tocsin_events_retried_total')).toBe(0);
});

test.concurrent('slow events of one organization neither delay another organization nor are delivered again while they wait', async () => {
  await using scene = await openScene();
  const gate = Promise.withResolvers<void>();
  const own = await scene.consume('fair', [recording('fair', (text) => (text === 'slow' ? gate.promise : undefined))]);
  const many = Array.from({ length: 100 }, () => crypto.randomUUID());
  for (const aggregateId of many) await scene.publish({ aggregateId, sequence: 1, payload: textPayload('slow') });
  const other = crypto.randomUUID();
  await scene.publish({ aggregateId: other, sequence: 1, organization: crypto.randomUUID() });
  await eventually(async () => expect(await scene.consumed('fair', other)).toEqual(['event 1']));

  // Longer than the time after which the stream delivers a message again.
  await sleep(12_000);
  gate.resolve();
  for (const aggregateId of many) {
    await eventually(async () => expect(await scene.consumed('fair', aggregateId)).toEqual(['slow']));
  }
  expect(await counted(own, 'tocsin_events_repeated_total')).toBe(0);
});

test.concurrent('large waiting events of one organization do not stop the reception of events of another one', async () => {
  await using scene = await openScene();
  const gate = Promise.withResolvers<void>();
  const isLarge = (text: string) => text.length > 1_000;
  await scene.consume('roomy', [recording('roomy', (text) => (isLarge(text) ? gate.promise : undefined))]);
  const many = Array.from({ length: 40 }, () => crypto.randomUUID());
  // Together they are larger than the queue.
  const payload = textPayload('x'.repeat(1_000_000));
  for (const aggregateId of many) await scene.publish({ aggregateId, sequence: 1, payload });
  const other = crypto.randomUUID();
  await scene.publish({ aggregateId: other, sequence: 1, organization: crypto.randomUUID() });
  await eventually(async () => expect(await scene.consumed('roomy', other)).toEqual(['event 1']));
  gate.resolve();
  for (const aggregateId of many) {
    await eventually(async () => expect(await scene.consumed('roomy', aggregateId)).toHaveLength(1), {
      timeoutMs: 30_000,
    });
  }
});

test.concurrent('disposing returns waiting events to other replicas at once, while a handler still runs', async () => {
  await using scene = await openScene();
  const gate = Promise.withResolvers<void>();
  const aggregates = Array.from({ length: 20 }, () => crypto.randomUUID());
  let started = 0;
  const blocking = recording('returning', () => {
    started += 1;
    return gate.promise;
  });
  await scene.consume('returning', [blocking]);
  for (const aggregateId of aggregates) await scene.publish({ aggregateId, sequence: 1 });
  await eventually(() => expect(started).toBe(4));
  const stopped = scene.stopConsumers();
  await scene.consume('returning', [recording('returning')]);
  const consumed = async () => (await Promise.all(aggregates.map((id) => scene.consumed('returning', id)))).flat();
  await eventually(async () => expect(await consumed()).toHaveLength(16));
  gate.resolve();
  await stopped;
  await eventually(async () => expect(await consumed()).toHaveLength(20));
});

test.concurrent('an event that cannot be decoded becomes a dead letter, and the next event is applied', async () => {
  await using scene = await openScene();
  const own = await scene.consume('decoding', [recording('decoding')]);
  const aggregateId = crypto.randomUUID();
  await scene.publish({ aggregateId, sequence: 1 });
  await scene.publish({ aggregateId, sequence: 2, payload: Uint8Array.of(0xff, 0xff, 0xff) });
  await scene.publish({ aggregateId, sequence: 3 });
  await eventually(async () => expect(await scene.consumed('decoding', aggregateId)).toEqual(['event 1', 'event 3']));
  expect(await scene.deadLetters('decoding')).toMatchObject([{ aggregate_id: aggregateId, sequence: 2 }]);
  expect(await counted(own, 'tocsin_events_dead_total')).toBe(1);
});

test.concurrent('an event whose handler always throws becomes a dead letter, and the changes of the handler are rolled back', async () => {
  await using scene = await openScene();
  const throwing = recording('throwing', (text) => {
    if (text === 'poison') throw new TypeError('never works');
  });
  await scene.consume('throwing', [throwing]);
  const aggregate = crypto.randomUUID();
  await say(scene.database, aggregate, 'good', 'poison', 'better');
  await eventually(async () => expect(await scene.consumed('throwing', aggregate)).toEqual(['good', 'better']));
  expect(await scene.deadLetters('throwing')).toEqual([
    { aggregate_id: aggregate, sequence: 2, type: StringValueSchema.typeName, error: 'TypeError: never works' },
  ]);
});

test.concurrent('an event whose handler fails temporarily is retried until the handler succeeds, and delays only events of the same aggregate', async () => {
  await using scene = await openScene();
  let failures = 0;
  const struggling = recording('struggling', (text) => {
    if (text !== 'hard' || failures === 5) return;
    failures += 1;
    throw new ServiceError('unavailable', 'the mail server is unavailable');
  });
  await scene.consume('struggling', [struggling]);
  const [aggregate, other] = [crypto.randomUUID(), crypto.randomUUID()];
  await say(scene.database, aggregate, 'easy', 'hard', 'later');
  await say(scene.database, other, 'elsewhere');
  await eventually(async () => expect(await scene.consumed('struggling', other)).toEqual(['elsewhere']));
  expect(await scene.consumed('struggling', aggregate)).toEqual(['easy']);
  const expected = ['easy', 'hard', 'later'];
  await eventually(async () => expect(await scene.consumed('struggling', aggregate)).toEqual(expected), {
    timeoutMs: 20_000,
  });
  expect(await scene.deadLetters('struggling')).toEqual([]);
});

test.concurrent('temporary failures are not counted as attempts', async () => {
  await using scene = await openScene();
  let failures = 0;
  const unlucky = recording('unlucky', () => {
    failures += 1;
    if (failures <= 4) throw new ServiceError('unavailable', 'away');
    if (failures === 5) throw new TypeError('a race that was lost');
  });
  await scene.consume('unlucky', [unlucky]);
  const aggregate = crypto.randomUUID();
  await say(scene.database, aggregate, 'consumed in the end');
  const heardInTheEnd = async () => expect(await scene.consumed('unlucky', aggregate)).toEqual(['consumed in the end']);
  await eventually(heardInTheEnd, { timeoutMs: 25_000 });
  expect(await scene.deadLetters('unlucky')).toEqual([]);
});

test.concurrent('an event without a handler is acknowledged', async () => {
  await using scene = await openScene();
  const own = await scene.consume('indifferent', []);
  const aggregate = crypto.randomUUID();
  await say(scene.database, aggregate, 'whatever');
  await eventually(async () => expect(await counted(own, 'tocsin_events_handled_total')).toBeGreaterThan(0));
});

test.concurrent('an ignored event is acknowledged and not recorded', async () => {
  await using scene = await openScene();
  await scene.consume('ignoring', [], [StringValueSchema]);
  const aggregate = crypto.randomUUID();
  for (let number = 1; number <= 3; number += 1) await say(scene.database, aggregate, `number ${number}`);
  const { consumers } = await jetstreamManager(scene.replica.nats);
  await eventually(async () => {
    const { delivered, num_ack_pending } = await consumers.info(EVENT_STREAM, 'ignoring');
    expect({ delivered: delivered.consumer_seq, num_ack_pending }).toEqual({ delivered: 3, num_ack_pending: 0 });
  });
  expect(await query(scene.database, "select from inbox where consumer = 'ignoring'")).toEqual([]);
});

test.concurrent('a consumer that both ignores and handles an event does not start', async () => {
  await using scene = await openScene();
  const starting = scene.consume('undecided', [recording('undecided')], [StringValueSchema]);
  await expect(starting).rejects.toThrow('undecided both ignores and handles google.protobuf.StringValue');
});

test.concurrent('a message that is not a valid event is dropped and counted', async () => {
  await using scene = await openScene();
  const own = await scene.consume('strict', [recording('strict')]);
  await jetstream(scene.replica.nats).publish(subject, textPayload('no headers'));
  await scene.publish({ aggregateId: 'not-a-uuid', sequence: 1 });
  await eventually(async () => expect(await counted(own, 'tocsin_events_dead_total')).toBe(2));
  const { consumers } = await jetstreamManager(scene.replica.nats);
  const unacknowledged = async () => (await consumers.info(EVENT_STREAM, 'strict')).num_ack_pending;
  await eventually(async () => expect(await unacknowledged()).toBe(0));
});

test.concurrent('a consumer continues after an outage of NATS', async () => {
  await using scene = await openScene();
  await scene.consume('enduring', [recording('enduring')]);
  const aggregate = crypto.randomUUID();
  await say(scene.database, aggregate, 'before');
  await eventually(async () => expect(await scene.consumed('enduring', aggregate)).toEqual(['before']));
  await scene.nats.stop();
  await say(scene.database, aggregate, 'during');
  await scene.nats.start();
  const expected = ['before', 'during'];
  await eventually(async () => expect(await scene.consumed('enduring', aggregate)).toEqual(expected), {
    timeoutMs: 20_000,
  });
});

test.concurrent('disposing waits for the running handler, and its event is not redelivered', async () => {
  await using scene = await openScene();
  const running = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const order: string[] = [];
  const slow: EventHandler = {
    type: StringValueSchema.typeName,
    decode: () => async () => {
      running.resolve();
      await finish.promise;
      order.push('handled');
    },
  };
  const own = await scene.consume('leaving', [slow]);
  await say(scene.database, crypto.randomUUID(), 'slow');
  await running.promise;
  const disposed = scene.stopConsumers().then(() => order.push('disposed'));
  // If the disposal did not wait for the handler, it would end during this call.
  await scene.replica.nats.flush();
  finish.resolve();
  await disposed;
  expect(order).toEqual(['handled', 'disposed']);
  expect(await counted(own, 'tocsin_events_handled_total')).toBe(1);
  // The event was acknowledged, so it is not redelivered.
  const next = await scene.consume('leaving', [slow]);
  await say(scene.database, crypto.randomUUID(), 'next');
  await eventually(async () => expect(await counted(next, 'tocsin_events_handled_total')).toBe(1));
  expect(await counted(next, 'tocsin_events_repeated_total')).toBe(0);
});

test.concurrent('an event whose predecessor the stream has discarded is not delayed', async () => {
  await using scene = await openScene();
  await scene.consume('behind', [recording('behind')]);
  const [discarded, delayed] = [crypto.randomUUID(), crypto.randomUUID()];
  // The stream is new, so it cannot contain events from two hours ago.
  const previousAt = new Date(Date.now() - 2 * 3_600_000);
  await scene.publish({ aggregateId: discarded, sequence: 5, previousAt });
  await scene.publish({ aggregateId: delayed, sequence: 5 });
  await eventually(async () => expect(await scene.consumed('behind', discarded)).toEqual(['event 5']), {
    timeoutMs: 25_000,
  });
  expect(await scene.consumed('behind', delayed)).toEqual([]);
});
