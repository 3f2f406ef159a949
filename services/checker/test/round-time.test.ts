import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { CheckJobSchema } from '@tocsin/proto/monitor/v1/checks';
import { createRuntime, natsOptions } from '@tocsin/runtime';
import { eventually, testNats } from '@tocsin/testing';
import { ensureCheckStreams, jobSubject } from '@tocsin/work-queue';
import { afterAll, expect, test } from 'vitest';
import { startJobIntake } from '../src/consumers/on-check-jobs.ts';

const server = await testNats();
const nats = await connect(natsOptions(server.url));
await ensureCheckStreams(nats);
afterAll(async () => {
  await nats.close();
  await server[Symbol.asyncDispose]();
});

/** Sends a job for a round that is due in `inMs` milliseconds, and returns the time of the round. */
async function sendJob(region: string, inMs: number): Promise<number> {
  const roundAt = Date.now() + inMs;
  const job = {
    monitorId: 'monitor',
    organizationId: 'organization',
    roundAt: timestampFromDate(new Date(roundAt)),
    startBefore: timestampFromDate(new Date(roundAt + 15_000)),
  };
  await jetstream(nats).publish(jobSubject(region), toBinary(CheckJobSchema, create(CheckJobSchema, job)));
  return roundAt;
}

/** Starts a checker for a region, and records when it prepares and runs checks. */
function startChecker(region: string) {
  const startedAt: number[] = [];
  const preparedAt: number[] = [];
  const intake = startJobIntake({
    nats,
    region,
    concurrency: 10,
    browsers: 1,
    runtime: createRuntime('checker', { logLevel: 'fatal' }),
    run: async () => {
      startedAt.push(Date.now());
      return { kind: 'gone' };
    },
    prepare: () => preparedAt.push(Date.now()),
    screenshots: { keep: async () => {} },
    onEnd() {},
    onLoad() {},
  });
  return { startedAt, preparedAt, [Symbol.asyncDispose]: () => intake[Symbol.asyncDispose]() };
}

test('a check that arrives early is prepared at once and starts at the time of its round', async () => {
  await using checker = startChecker('early');
  const roundAt = await sendJob('early', 700);
  await eventually(() => expect(checker.startedAt).toHaveLength(1));
  // Node timers may fire up to a millisecond early.
  expect(checker.startedAt[0]).toBeGreaterThanOrEqual(roundAt - 1);
  expect(checker.preparedAt).toHaveLength(1);
  expect(checker.preparedAt[0]).toBeLessThan(roundAt);
});

test('if the clock of a checker is behind, a check is delayed by at most two seconds', async () => {
  await using checker = startChecker('behind');
  const roundAt = await sendJob('behind', 60_000);
  await eventually(() => expect(checker.startedAt).toHaveLength(1), { timeoutMs: 30_000 });
  expect(checker.startedAt[0]).toBeLessThan(roundAt - 20_000);
});

test('when a checker stops, checks that arrived early run on another checker', async () => {
  const first = startChecker('stopping');
  await sendJob('stopping', 1_500);
  await eventually(async () => {
    const { num_ack_pending } = await (await jetstream(nats).consumers.get('CHECK_JOBS', 'checker-stopping')).info();
    expect(num_ack_pending).toBe(1);
  });
  await first[Symbol.asyncDispose]();
  await using second = startChecker('stopping');
  await eventually(() => expect(second.startedAt).toHaveLength(1));
  expect(first.startedAt).toEqual([]);
});
