import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { ServiceError } from '@tocsin/errors';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { connectNats, createRuntime } from '@tocsin/runtime';
import { eventually, manualClock, testNats } from '@tocsin/testing';
import { ensureCheckStreams, RESULT_STREAM, RESULT_SUBJECT } from '@tocsin/work-queue';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { startResultIntake } from '../src/consumers/on-check-results.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Starts a NATS server with the streams of checks. */
async function startStreams() {
  await using resources = new AsyncDisposableStack();
  const server = resources.use(await testNats());
  const runtime = createRuntime('monitor', { logLevel: 'silent' });
  const { connection: nats } = resources.use(await connectNats(server.url, runtime));
  await ensureCheckStreams(nats);
  const running = resources.move();
  return { server, runtime, nats, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

test('recordedUpTo() advances while results keep arriving, but never past an unrecorded result', async () => {
  const server = stack.use(await testNats());
  const runtime = createRuntime('monitor', { logLevel: 'error' });
  const nats = stack.use(await connectNats(server.url, runtime)).connection;
  await ensureCheckStreams(nats);
  const clock = manualClock('2026-03-01T12:00:00Z');
  // Callbacks of the batches that are being recorded. Calling one completes the recording of its batch.
  const waiting: (() => void)[] = [];
  const record = () => new Promise<void>((resolve) => waiting.push(resolve));
  const intake = stack.use(startResultIntake({ nats, runtime, now: clock.now, record }));
  const publish = async () => {
    const result = create(CheckResultSchema, {
      monitorId: v7(),
      roundAt: timestampFromDate(clock.now()),
      result: { region: 'a', outcome: CheckOutcome.PASS, checkedAt: timestampFromDate(clock.now()) },
    });
    await jetstream(nats).publish(RESULT_SUBJECT, toBinary(CheckResultSchema, result));
  };
  const inHand = (batches: number) => eventually(() => expect(waiting).toHaveLength(batches));
  // Without any result in the stream, all results count as recorded.
  await eventually(async () => expect(await intake.recordedUpTo()).toEqual(clock.now()));

  await publish();
  await inHand(1);
  const marked = clock.now();
  expect(await intake.recordedUpTo()).toBeUndefined();
  clock.advance(1_000);
  await publish();
  expect(await intake.recordedUpTo()).toBeUndefined();
  waiting.shift()?.();
  // The second batch is not recorded yet, but all results from before `marked` are recorded.
  await inHand(1);
  await eventually(async () => expect(await intake.recordedUpTo()).toEqual(marked));
  expect(await intake.recordedUpTo()).toBeUndefined();
  waiting.shift()?.();
  await eventually(async () => expect(await intake.recordedUpTo()).toEqual(clock.now()));
});

test('passed checks wait up to 200 ms for other results, and a failed check is recorded at once together with the waiting passed checks', async () => {
  await using server = await testNats();
  const runtime = createRuntime('monitor', { logLevel: 'error' });
  await using handle = await connectNats(server.url, runtime);
  const nats = handle.connection;
  await ensureCheckStreams(nats);
  const batches: { readonly outcomes: readonly string[]; readonly at: number }[] = [];
  const record = async (results: readonly { readonly outcome: string }[]) => {
    batches.push({ outcomes: results.map(({ outcome }) => outcome), at: performance.now() });
  };
  await using _intake = startResultIntake({ nats, runtime, now: () => new Date(), record });
  const publish = (outcome: CheckOutcome) => {
    const now = timestampFromDate(new Date());
    const result = create(CheckResultSchema, {
      monitorId: v7(),
      roundAt: now,
      result: { region: 'a', outcome, checkedAt: now },
    });
    return jetstream(nats).publish(RESULT_SUBJECT, toBinary(CheckResultSchema, result));
  };

  const began = performance.now();
  await publish(CheckOutcome.PASS);
  await eventually(() => expect(batches).toHaveLength(1));
  // The bound is a millisecond less than 200, because timers may fire early.
  expect((batches[0]?.at ?? 0) - began).toBeGreaterThanOrEqual(199);

  // The failure arrives while the pass is still waiting, because both are published together.
  await Promise.all([publish(CheckOutcome.PASS), publish(CheckOutcome.FAIL)]);
  await eventually(() => expect(batches).toHaveLength(2));
  expect(batches[1]?.outcomes).toEqual(['pass', 'fail']);
});

test('while nothing can be recorded, a bounded number of messages is held in memory, and later all are recorded', async () => {
  await using started = await startStreams();
  const { nats, runtime } = started;
  const recorded = new Set<string>();
  let isAvailable = false;
  const record = async (results: readonly { readonly monitorId: string }[]) => {
    if (!isAvailable) throw new ServiceError('unavailable', 'the database is unavailable');
    for (const { monitorId } of results) recorded.add(monitorId);
  };
  await using _intake = startResultIntake({ nats, runtime, now: () => new Date(), record });
  const now = timestampFromDate(new Date());
  for (let count = 0; count < 4_000; count += 1) {
    const result = { region: 'a', outcome: CheckOutcome.PASS, checkedAt: now };
    const message = create(CheckResultSchema, { monitorId: v7(), roundAt: now, result });
    nats.publish(RESULT_SUBJECT, toBinary(CheckResultSchema, message));
  }
  const { consumers } = await jetstreamManager(nats);
  const inMemory = async () => (await consumers.info(RESULT_STREAM, 'monitor-results')).num_ack_pending;
  await eventually(async () => expect(await inMemory()).toBeGreaterThan(2_000));
  await sleep(1_000);
  // The service holds up to 1,000 gathered messages, 1,000 prefetched messages and 500 messages in the batch that is
  // retried.
  expect(await inMemory()).toBeLessThan(2_600);
  isAvailable = true;
  await eventually(() => expect(recorded.size).toBe(4_000), { timeoutMs: 30_000 });
});

test('the valid results of a batch are recorded together', async () => {
  await using started = await startStreams();
  const { nats, runtime } = started;
  const batches: string[][] = [];
  const record = async (results: readonly { readonly region: string }[]) => {
    batches.push(results.map(({ region }) => region));
  };
  await using _intake = startResultIntake({ nats, runtime, now: () => new Date(), record });
  const now = timestampFromDate(new Date());
  const result = (region: string) => ({
    monitorId: v7(),
    roundAt: now,
    result: { region, outcome: CheckOutcome.PASS, checkedAt: now },
  });
  const message = create(CheckResultSchema, { batch: [result('a'), result(''), result('b')] });
  await jetstream(nats).publish(RESULT_SUBJECT, toBinary(CheckResultSchema, message));
  await eventually(() => expect(batches).toEqual([['a', 'b']]));
  const { num_pending, num_ack_pending } = await (
    await jetstream(nats).consumers.get(RESULT_STREAM, 'monitor-results')
  ).info();
  expect(num_pending + num_ack_pending).toBe(0);
});

test('results that are sent after NATS has lost its store are recorded', async () => {
  await using started = await startStreams();
  const { server, nats, runtime } = started;
  const recorded: string[] = [];
  const record = async (results: readonly { readonly monitorId: string }[]) => {
    recorded.push(...results.map(({ monitorId }) => monitorId));
  };
  await using _intake = startResultIntake({ nats, runtime, now: () => new Date(), record });
  const monitorId = v7();
  const now = timestampFromDate(new Date());
  const result = { region: 'a', outcome: CheckOutcome.PASS, checkedAt: now };
  const message = toBinary(CheckResultSchema, create(CheckResultSchema, { monitorId, roundAt: now, result }));
  await jetstream(nats).publish(RESULT_SUBJECT, message);
  await eventually(() => expect(recorded).toHaveLength(1));
  await server.loseStore();
  await server.start();
  // The stream does not exist until the intake has created it again.
  await eventually(() => jetstream(nats).publish(RESULT_SUBJECT, message));
  await eventually(() => expect(recorded).toEqual([monitorId, monitorId]));
});

test('a result that can not be recorded is dropped, and all others are recorded', async () => {
  await using started = await startStreams();
  const { nats, runtime } = started;
  const recorded: string[] = [];
  const ids = Array.from({ length: 20 }, () => v7());
  const record = async (results: readonly { readonly monitorId: string }[]) => {
    if (results.some(({ monitorId }) => monitorId === ids[7])) throw new Error('invalid input');
    recorded.push(...results.map(({ monitorId }) => monitorId));
  };
  await using _intake = startResultIntake({ nats, runtime, now: () => new Date(), record });
  const now = timestampFromDate(new Date());
  const batch = ids.map((monitorId) => ({
    monitorId,
    roundAt: now,
    result: { region: 'a', outcome: CheckOutcome.PASS, checkedAt: now },
  }));
  await jetstream(nats).publish(RESULT_SUBJECT, toBinary(CheckResultSchema, create(CheckResultSchema, { batch })));
  const others = ids.filter((_, index) => index !== 7);
  await eventually(() => expect(recorded.toSorted()).toEqual(others.toSorted()), { timeoutMs: 60_000 });
  const { consumers } = await jetstreamManager(nats);
  const unacknowledged = async () => (await consumers.info(RESULT_STREAM, 'monitor-results')).num_ack_pending;
  await eventually(async () => expect(await unacknowledged()).toBe(0), { timeoutMs: 60_000 });
}, 120_000);
