import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstreamManager } from '@nats-io/jetstream';
import { CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { connectNats, createRuntime } from '@tocsin/runtime';
import { testNats } from '@tocsin/testing';
import { ensureCheckStreams, JOB_STREAM, jobSubject } from '@tocsin/work-queue';
import { afterAll, expect, test } from 'vitest';
import { natsCheckers } from '../src/clients/nats-checkers.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const roundAt = new Date('2026-03-01T12:00:00Z');

const jobs = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    monitorId: `m${index}`,
    organizationId: 'o',
    checkType: 'http' as const,
    configVersion: 1,
    roundAt,
    startBefore: new Date(roundAt.getTime() + 15_000),
  }));

/** Sends jobs twice. Returns the monitors in each message to a region. */
async function sentTo(region: string, count: number, batches: boolean): Promise<string[][]> {
  const server = stack.use(await testNats());
  const runtime = createRuntime('monitor', { logLevel: 'error' });
  const nats = stack.use(await connectNats(server.url, runtime)).connection;
  await ensureCheckStreams(nats);
  const checkers = natsCheckers(nats, runtime, { batches });
  for (const _ of ['first', 'again']) await checkers.send(jobs(count), ['a', 'b']);
  const { streams } = await jetstreamManager(nats);
  const { state } = await streams.info(JOB_STREAM);
  const messages: string[][] = [];
  for (let sequence = 1; sequence <= state.last_seq; sequence += 1) {
    const stored = await streams.getMessage(JOB_STREAM, { seq: sequence });
    if (stored?.subject !== jobSubject(region)) continue;
    const job = fromBinary(CheckJobSchema, stored.data);
    messages.push((job.batch.length > 0 ? job.batch : [job]).map(({ monitorId }) => monitorId));
  }
  return messages;
}

test('each job is a separate message in each region, and is stored once even if it is sent twice', async () => {
  expect(await sentTo('b', 2, false)).toEqual([['m0'], ['m1']]);
});

test('with batches, up to 50 jobs are sent in one message, and the message is stored once even if it is sent twice', async () => {
  const sent = await sentTo('a', 51, true);
  expect(sent.map(({ length }) => length)).toEqual([50, 1]);
  expect(sent.flat()).toEqual(jobs(51).map(({ monitorId }) => monitorId));
});

test('a check on demand returns at its deadline with the results of the regions that responded', async () => {
  const server = stack.use(await testNats());
  const runtime = createRuntime('monitor', { logLevel: 'error' });
  const nats = stack.use(await connectNats(server.url, runtime)).connection;
  await ensureCheckStreams(nats);
  const checker = nats.subscribe(jobSubject('a'), {
    callback(_, message) {
      const { monitorId, replyTo } = fromBinary(CheckJobSchema, message.data);
      const at = timestampFromDate(roundAt);
      const result = { region: 'a', outcome: CheckOutcome.PASS, checkedAt: at };
      nats.publish(replyTo, toBinary(CheckResultSchema, create(CheckResultSchema, { monitorId, roundAt: at, result })));
    },
  });
  const [job] = jobs(1);
  if (!job) throw new Error('there is no job');
  const checkers = natsCheckers(nats, runtime, { batches: false });
  const results = await checkers.ask(job, ['a', 'b'], new Date(roundAt.getTime() + 1_000));
  checker.unsubscribe();
  expect(results).toMatchObject([{ region: 'a', outcome: 'pass' }]);
});
