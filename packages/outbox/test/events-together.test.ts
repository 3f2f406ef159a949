import { ServiceError } from '@tocsin/errors';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { ensureEventStream } from '../src/index.ts';
import { openScene, type Scene, textPayload } from './consumer-fixture.ts';
import { counted, recording, recordingTogether } from './outbox-fixture.ts';

/** Publishes the first event of an aggregate for each text, and returns the aggregates. */
async function publishEach(scene: Scene, texts: readonly string[], organization?: string): Promise<string[]> {
  await ensureEventStream(scene.replica.nats);
  const aggregates: string[] = [];
  for (const text of texts) {
    const aggregateId = crypto.randomUUID();
    aggregates.push(aggregateId);
    await scene.publish({
      aggregateId,
      sequence: 1,
      payload: textPayload(text),
      ...(organization && { organization }),
    });
  }
  return aggregates;
}

/** Returns the texts that a consumer has applied, of all aggregates. */
async function consumedOf(scene: Scene, consumer: string, aggregates: readonly string[]): Promise<string[]> {
  return (await Promise.all(aggregates.map((id) => scene.consumed(consumer, id)))).flat();
}

test.concurrent('events of an organization that waited are handled together, once and in the order of each aggregate', async () => {
  await using scene = await openScene();
  const sizes: number[] = [];
  const texts = Array.from({ length: 30 }, (_, index) => `first ${index}`);
  const aggregates = await publishEach(scene, texts);
  for (const aggregateId of aggregates)
    await scene.publish({ aggregateId, sequence: 2, payload: textPayload('second') });
  const own = await scene.consume('together', [recordingTogether('together', (each) => void sizes.push(each.length))]);
  for (const [index, aggregateId] of aggregates.entries()) {
    await eventually(async () =>
      expect(await scene.consumed('together', aggregateId)).toEqual([`first ${index}`, 'second']),
    );
  }
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60);
  expect(sizes.length).toBeLessThan(15);
  await eventually(async () => expect(await counted(own, 'tocsin_events_handled_total')).toBe(60));
});

test.concurrent('an event that always fails becomes a dead letter, and the events handled together with it are applied once', async () => {
  await using scene = await openScene();
  const aggregates = await publishEach(scene, ['one', 'two', 'poison', 'four']);
  let mostTogether = 0;
  const handler = recordingTogether('poisoned', (texts) => {
    mostTogether = Math.max(mostTogether, texts.length);
    if (texts.includes('poison')) throw new TypeError('never works');
  });
  const own = await scene.consume('poisoned', [handler]);
  await eventually(async () => expect(await scene.deadLetters('poisoned')).toHaveLength(1), { timeoutMs: 20_000 });
  expect(mostTogether).toBeGreaterThan(1);
  expect(await scene.deadLetters('poisoned')).toMatchObject([{ aggregate_id: aggregates[2], sequence: 1 }]);
  expect(await consumedOf(scene, 'poisoned', aggregates)).toEqual(['one', 'two', 'four']);
  const [, , third = ''] = aggregates;
  await scene.publish({ aggregateId: third, sequence: 2 });
  await eventually(async () => expect(await scene.consumed('poisoned', third)).toEqual(['event 2']));
  expect(await counted(own, 'tocsin_events_handled_total')).toBe(4);
});

test.concurrent('an event that fails temporarily is retried alone, and delays neither the others nor another organization', async () => {
  await using scene = await openScene();
  const calls: string[][] = [];
  let isFailing = true;
  const aggregates = await publishEach(scene, ['one', 'two', 'hard', 'four']);
  const others = await publishEach(scene, ['elsewhere', 'elsewhere'], crypto.randomUUID());
  const handler = recordingTogether('struggling', (texts) => {
    calls.push([...texts]);
    if (isFailing && texts.includes('hard')) throw new ServiceError('unavailable', 'the mail server is unavailable');
  });
  await scene.consume('struggling', [handler]);
  await eventually(async () =>
    expect(await consumedOf(scene, 'struggling', aggregates)).toEqual(['one', 'two', 'four']),
  );
  await eventually(async () =>
    expect(await consumedOf(scene, 'struggling', others)).toEqual(['elsewhere', 'elsewhere']),
  );
  // More failures than an event may have if they were not temporary.
  const retries = () => calls.filter((texts) => texts.length === 1 && texts[0] === 'hard').length;
  await eventually(() => expect(retries()).toBeGreaterThan(5), { timeoutMs: 20_000 });
  expect(calls.filter((texts) => texts.length > 1 && texts.includes('hard'))).toHaveLength(1);
  isFailing = false;
  await eventually(async () =>
    expect(await consumedOf(scene, 'struggling', aggregates)).toEqual(['one', 'two', 'hard', 'four']),
  );
  expect(await scene.deadLetters('struggling')).toEqual([]);
});

test.concurrent('an event that cannot be decoded becomes a dead letter alone', async () => {
  await using scene = await openScene();
  const good = await publishEach(scene, ['one', 'two']);
  const aggregateId = crypto.randomUUID();
  await scene.publish({ aggregateId, sequence: 1, payload: Uint8Array.of(0xff, 0xff, 0xff) });
  await scene.consume('decoding', [recordingTogether('decoding')]);
  await eventually(async () => expect(await scene.deadLetters('decoding')).toHaveLength(1), { timeoutMs: 20_000 });
  expect(await consumedOf(scene, 'decoding', good)).toEqual(['one', 'two']);
});

test.concurrent('copies and early events among events that are handled together are not applied again or too early', async () => {
  await using scene = await openScene();
  const [repeated = ''] = await publishEach(scene, ['once']);
  await scene.consume('mixed', [recordingTogether('mixed')]);
  await eventually(async () => expect(await scene.consumed('mixed', repeated)).toEqual(['once']));
  await scene.stopConsumers();

  const early = crypto.randomUUID();
  await scene.publish({ aggregateId: repeated, sequence: 1 });
  await scene.publish({ aggregateId: early, sequence: 2 });
  const others = await publishEach(scene, ['a', 'b', 'c']);
  await scene.publish({ aggregateId: repeated, sequence: 2 });
  const own = await scene.consume('mixed', [recordingTogether('mixed')]);
  await eventually(async () => expect(await consumedOf(scene, 'mixed', others)).toEqual(['a', 'b', 'c']));
  await eventually(async () => expect(await scene.consumed('mixed', repeated)).toEqual(['once', 'event 2']));
  expect(await counted(own, 'tocsin_events_repeated_total')).toBe(1);
  expect(await scene.consumed('mixed', early)).toEqual([]);
  await scene.publish({ aggregateId: early, sequence: 1 });
  await eventually(async () => expect(await scene.consumed('mixed', early)).toEqual(['event 1', 'event 2']));
});

test.concurrent('replicas that handle events together apply each once and in order', async () => {
  await using scene = await openScene();
  await scene.consume('replicated', [recordingTogether('replicated')]);
  await scene.consume('replicated', [recordingTogether('replicated')]);
  const aggregates = Array.from({ length: 10 }, () => crypto.randomUUID());
  for (let sequence = 1; sequence <= 8; sequence += 1) {
    for (const aggregateId of aggregates) await scene.publish({ aggregateId, sequence });
  }
  const expected = Array.from({ length: 8 }, (_, index) => `event ${index + 1}`);
  for (const aggregateId of aggregates) {
    await eventually(async () => expect(await scene.consumed('replicated', aggregateId)).toEqual(expected), {
      timeoutMs: 30_000,
    });
  }
});

test.concurrent('events without a handler are recorded together, so that later events of their aggregates are not early', async () => {
  await using scene = await openScene();
  const aggregates = await publishEach(scene, ['one', 'two', 'three']);
  const own = await scene.consume('indifferent', []);
  await eventually(async () => expect(await counted(own, 'tocsin_events_handled_total')).toBe(3));
  await scene.stopConsumers();
  await scene.consume('indifferent', [recording('indifferent')]);
  for (const aggregateId of aggregates) await scene.publish({ aggregateId, sequence: 2 });
  await eventually(async () => expect(await consumedOf(scene, 'indifferent', aggregates)).toHaveLength(3));
});
