import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { eventually, testNats } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { connectNats, consumeStream, createRuntime } from '../src/index.ts';

test('messages are consumed although another version has configured the consumer differently', async () => {
  await using server = await testNats();
  const runtime = createRuntime('test', { logLevel: 'silent' });
  await using handle = await connectNats(server.url, runtime);
  const nats = handle.connection;
  const { consumers, streams } = await jetstreamManager(nats);
  await streams.add({ name: 'WORK', subjects: ['work'] });
  const received: string[] = [];
  const start = (changes: { max_ack_pending: number; ack_wait: number }) =>
    consumeStream({
      name: 'taking work',
      nats,
      runtime,
      stream: 'WORK',
      consumer: { durable_name: 'worker', ...changes },
      prefetch: 10,
      onMessage(message) {
        received.push(message.string());
        message.ack();
      },
    });
  const earlier = { max_ack_pending: 10_000, ack_wait: nanos(8_000) };
  const later = { max_ack_pending: 2_000, ack_wait: nanos(9_000) };
  await using _earlier = start(earlier);
  await jetstream(nats).publish('work', 'first');
  await eventually(() => expect(received).toEqual(['first']));
  // During an upgrade, replicas of both versions run.
  await using _later = start(later);
  await eventually(async () => expect((await consumers.info('WORK', 'worker')).config).toMatchObject(later));
  for (const text of ['second', 'third']) await jetstream(nats).publish('work', text);
  await eventually(() => expect(received.toSorted()).toEqual(['first', 'second', 'third']));
  // After a rollback, the earlier version starts again.
  await using _again = start(earlier);
  await eventually(async () => expect((await consumers.info('WORK', 'worker')).config).toMatchObject(earlier));
  await jetstream(nats).publish('work', 'fourth');
  await eventually(() => expect(received).toContain('fourth'));
  expect(received).toHaveLength(4);
});

test.each([
  { sharesProcess: false, seconds: 10 },
  { sharesProcess: true, seconds: 30 },
])('a request for messages lasts $seconds s if sharesProcess is $sharesProcess', async ({ sharesProcess, seconds }) => {
  await using server = await testNats();
  const runtime = createRuntime('test', { logLevel: 'silent', sharesProcess });
  await using handle = await connectNats(server.url, runtime);
  const nats = handle.connection;
  const { streams } = await jetstreamManager(nats);
  await streams.add({ name: 'WORK', subjects: ['work'] });
  const requests = nats.subscribe('$JS.API.CONSUMER.MSG.NEXT.>', { max: 1 });
  const consumer = { durable_name: 'worker' };
  const onMessage = () => undefined;
  await using _consuming = consumeStream({
    name: 'x',
    nats,
    runtime,
    stream: 'WORK',
    consumer,
    prefetch: 1,
    onMessage,
  });
  for await (const request of requests) expect(request.json()).toMatchObject({ expires: nanos(seconds * 1_000) });
});
