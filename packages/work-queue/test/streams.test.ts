import { DiscardPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { EVENT_STREAM, ensureEventStream, startStreamMetrics } from '@tocsin/outbox';
import { connectNats, createRuntime } from '@tocsin/runtime';
import { eventually, testNats } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import {
  createQueuePublisher,
  ensureCheckStreams,
  JOB_STREAM,
  jobSubject,
  RESULT_STREAM,
  RESULT_SUBJECT,
} from '../src/index.ts';

const MEGABYTE = 1024 ** 2;

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

async function startFixture() {
  const server = stack.use(await testNats());
  const runtime = createRuntime('test', { logLevel: 'silent' });
  const nats = stack.use(await connectNats(server.url, runtime)).connection;
  const { streams } = await jetstreamManager(nats);
  return { runtime, nats, streams };
}

test('each stream reserves its size, and together the streams fit into the default store of 10 GB', async () => {
  const { nats, streams } = await startFixture();
  await ensureEventStream(nats);
  await ensureCheckStreams(nats);
  const limits = await Promise.all(
    [EVENT_STREAM, JOB_STREAM, RESULT_STREAM].map(
      async (name) => (await streams.info(name)).config.max_bytes / MEGABYTE,
    ),
  );
  expect(limits).toEqual([4_096, 512, 1_024]);
});

test('a flood of events does not prevent the storage of jobs and results', async () => {
  const { nats, streams, runtime } = await startFixture();
  // Create the stream with a small size, as if an operator had reduced it. ensureEventStream() keeps this size.
  await streams.add({ name: EVENT_STREAM, subjects: ['event.>'], storage: StorageType.File, max_bytes: 8 * MEGABYTE });
  await ensureEventStream(nats);
  await ensureCheckStreams(nats);
  const payload = new Uint8Array(256 * 1024);
  for (let index = 0; index < 80; index += 1) await jetstream(nats).publish('event.flood', payload);
  const { config, state } = await streams.info(EVENT_STREAM);
  expect(config).toMatchObject({ max_bytes: 8 * MEGABYTE, discard: DiscardPolicy.Old });
  expect(state.bytes).toBeLessThanOrEqual(8 * MEGABYTE);
  expect(state.messages).toBeGreaterThan(25);

  const queue = createQueuePublisher('check jobs', nats, runtime);
  await queue.publish(jobSubject('local'), new Uint8Array(100), 'one');
  await queue.publish(RESULT_SUBJECT, new Uint8Array(100));
  expect((await streams.info(JOB_STREAM)).state.messages).toBe(1);
  expect((await streams.info(RESULT_STREAM)).state.messages).toBe(1);

  await using _metrics = startStreamMetrics([EVENT_STREAM, JOB_STREAM], nats, runtime);
  await eventually(async () => {
    const text = await runtime.metrics.metrics();
    expect(text).toMatch(new RegExp(`tocsin_stream_bytes\\{.*stream="EVENTS".*\\} ${state.bytes}`));
    expect(text).toMatch(new RegExp(`tocsin_stream_limit_bytes\\{.*stream="EVENTS".*\\} ${8 * MEGABYTE}`));
    expect(text).toMatch(/tocsin_stream_reach_seconds\{.*stream="CHECK_JOBS".*\} 0\.\d+/);
  });
});

test('a service is not ready while a queue rejects its messages', async () => {
  const { nats, streams, runtime } = await startFixture();
  await ensureCheckStreams(nats);
  runtime.readiness.started();
  const queue = createQueuePublisher('check jobs', nats, runtime);
  const { config } = await streams.info(JOB_STREAM);
  await queue.publish(jobSubject('local'), new Uint8Array(100));
  await streams.update(JOB_STREAM, { ...config, max_msgs: 1, discard: DiscardPolicy.New });
  await eventually(
    async () => {
      await expect(queue.publish(jobSubject('local'), new Uint8Array(100))).rejects.toThrow(
        'maximum messages exceeded',
      );
      const { ready, checks } = await runtime.readiness.report();
      expect(checks['check jobs']).toMatch(/^check jobs can't be published for \d+ s: maximum messages exceeded$/);
      expect(ready).toBe(false);
    },
    { timeoutMs: 15_000 },
  );
  expect(await runtime.metrics.metrics()).toMatch(/tocsin_queue_refused_total\{.*\} [1-9]/);
  await streams.update(JOB_STREAM, config);
  await queue.publish(jobSubject('local'), new Uint8Array(100));
  expect(await runtime.readiness.report()).toMatchObject({ ready: true, checks: { 'check jobs': 'ok' } });
});
