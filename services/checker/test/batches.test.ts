import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { createRuntime, natsOptions } from '@tocsin/runtime';
import { eventually, testNats } from '@tocsin/testing';
import { ensureCheckStreams, JOB_STREAM, jobConsumer, jobSubject, RESULT_STREAM } from '@tocsin/work-queue';
import { afterAll, expect, test } from 'vitest';
import type { CheckRun } from '../src/app/run-check.ts';
import { startJobIntake } from '../src/consumers/on-check-jobs.ts';

const server = await testNats();
const nats = await connect(natsOptions(server.url));
await ensureCheckStreams(nats);
const manager = await jetstreamManager(nats);
afterAll(async () => {
  await nats.close();
  await server[Symbol.asyncDispose]();
});

const seen = (outcome: 'pass' | 'fail'): CheckRun => ({
  kind: 'seen',
  observation: { outcome, error: outcome === 'pass' ? '' : 'status 502', phases: { total: 1 } },
  checkedAt: new Date(),
  finishedAt: new Date(),
});

/** Sends a message with the jobs of some monitors. */
async function sendBatch(region: string, ...monitorIds: string[]): Promise<void> {
  const now = new Date();
  const startBefore = timestampFromDate(new Date(now.getTime() + 3_600_000));
  const batch = monitorIds.map((monitorId) => ({
    monitorId,
    organizationId: 'organization',
    roundAt: timestampFromDate(now),
    startBefore,
  }));
  await jetstream(nats).publish(jobSubject(region), toBinary(CheckJobSchema, create(CheckJobSchema, { batch })));
}

function startChecker(region: string, run: (monitorId: string) => Promise<CheckRun>) {
  return startJobIntake({
    nats,
    region,
    concurrency: 10,
    browsers: 1,
    batches: true,
    runtime: createRuntime('checker', { logLevel: 'silent' }),
    run: ({ monitorId }) => run(monitorId),
    prepare() {},
    screenshots: { keep: async () => {} },
    onEnd() {},
    onLoad() {},
  });
}

/** Returns the monitors of each message in the result stream, oldest first. */
async function resultsOf(region: string): Promise<string[][]> {
  const { state } = await manager.streams.info(RESULT_STREAM);
  const messages: string[][] = [];
  for (let sequence = Math.max(1, state.first_seq); sequence <= state.last_seq; sequence += 1) {
    const stored = await manager.streams.getMessage(RESULT_STREAM, { seq: sequence });
    const message = fromBinary(CheckResultSchema, stored?.data ?? new Uint8Array());
    const results = message.batch.length > 0 ? message.batch : [message];
    if (results[0]?.result?.region === region) messages.push(results.map(({ monitorId }) => monitorId));
  }
  return messages;
}

async function unsettled(region: string): Promise<number> {
  const { num_pending, num_ack_pending } = await manager.consumers.info(JOB_STREAM, jobConsumer(region));
  return num_pending + num_ack_pending;
}

test('the results of a batch whose checks pass again are sent in one message', async () => {
  await using _checker = startChecker('passes', async () => seen('pass'));
  await sendBatch('passes', 'a', 'b', 'c');
  await eventually(async () => expect((await resultsOf('passes')).flat()).toEqual(['a', 'b', 'c']));
  const first = await resultsOf('passes');
  await sendBatch('passes', 'a', 'b', 'c');
  await eventually(async () => expect(await resultsOf('passes')).toEqual([...first, ['a', 'b', 'c']]));
  await eventually(async () => expect(await unsettled('passes')).toBe(0));
});

test('the result of a failed check is sent at once, together with the unsent results of its batch', async () => {
  const slow = Promise.withResolvers<CheckRun>();
  await using _checker = startChecker('mixed', (id) =>
    id === 'slow' ? slow.promise : Promise.resolve(seen(id === 'fails' ? 'fail' : 'pass')),
  );
  await sendBatch('mixed', 'passes');
  await eventually(async () => expect(await resultsOf('mixed')).toEqual([['passes']]));
  await sendBatch('mixed', 'passes', 'fails', 'slow');
  await eventually(async () => expect(await resultsOf('mixed')).toEqual([['passes'], ['passes', 'fails']]));
  // The message is acknowledged only after its last job has ended.
  expect(await unsettled('mixed')).toBe(1);
  slow.resolve(seen('pass'));
  const all = [['passes'], ['passes', 'fails'], ['slow']];
  await eventually(async () => expect(await resultsOf('mixed')).toEqual(all));
  await eventually(async () => expect(await unsettled('mixed')).toBe(0));
});

test('a job of a batch that could not run is run again at once, without the other jobs of the batch', async () => {
  const runs: string[] = [];
  const slow = Promise.withResolvers<CheckRun>();
  await using _checker = startChecker('retried', async (id) => {
    runs.push(id);
    if (id === 'b' && runs.length <= 3) throw new Error('the configuration is unavailable');
    return id === 'slow' ? slow.promise : seen('pass');
  });
  await sendBatch('retried', 'a', 'b', 'slow');
  await eventually(() => expect(runs).toEqual(['a', 'b', 'slow', 'b']));
  await eventually(async () => expect((await resultsOf('retried')).flat()).toEqual(['a', 'b']));
  slow.resolve(seen('pass'));
  await eventually(async () => expect(await unsettled('retried')).toBe(0));
  expect(runs).toHaveLength(4);
});

test('a checker that stops returns the waiting jobs of a batch at once, although another check of the batch runs', async () => {
  const slow = Promise.withResolvers<CheckRun>();
  const started = Promise.withResolvers<void>();
  const first = startChecker('released', async (id) => {
    if (id === 'slow') started.resolve();
    if (id === 'fails') throw new Error('the configuration is unavailable');
    return slow.promise;
  });
  await sendBatch('released', 'slow', 'fails');
  await started.promise;
  const stopped = first[Symbol.asyncDispose]();
  const runs: string[] = [];
  await using _second = startChecker('released', async (id) => {
    runs.push(id);
    return seen('pass');
  });
  await eventually(() => expect(runs).toContain('fails'));
  slow.resolve(seen('pass'));
  await stopped;
  await eventually(async () => expect(await unsettled('released')).toBe(0));
});

test('a checker sends its unsent results before it stops', async () => {
  const ran = Promise.withResolvers<void>();
  const checker = startChecker('stopping', async () => {
    ran.resolve();
    return seen('pass');
  });
  await sendBatch('stopping', 'a');
  await ran.promise;
  await checker[Symbol.asyncDispose]();
  expect(await resultsOf('stopping')).toEqual([['a']]);
  await eventually(async () => expect(await unsettled('stopping')).toBe(0));
});
