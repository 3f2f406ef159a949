import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { CheckJobSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { createRuntime, natsOptions } from '@tocsin/runtime';
import { eventually, testNats } from '@tocsin/testing';
import { ensureCheckStreams, jobSubject } from '@tocsin/work-queue';
import { expect, test } from 'vitest';
import { startJobIntake } from '../src/consumers/on-check-jobs.ts';

const ROOM = 3;
const BROWSERS = 2;

test('if the maximum number of jobs is waiting in the checker, further jobs stay in the stream until they can run', async () => {
  await using server = await testNats();
  const nats = await connect(natsOptions(server.url));
  await ensureCheckStreams(nats);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let load = { running: 0, waiting: 0 };
  const ended: string[] = [];
  const now = timestampFromDate(new Date());
  const startBefore = timestampFromDate(new Date(Date.now() + 3_600_000));
  for (let index = 0; index < 20; index += 1) {
    const job = {
      monitorId: `m${index}`,
      organizationId: `o${index % BROWSERS}`,
      checkType: CheckType.SYNTHETIC,
      roundAt: now,
      startBefore,
    };
    await jetstream(nats).publish(jobSubject('local'), toBinary(CheckJobSchema, create(CheckJobSchema, job)));
  }
  const intake = startJobIntake({
    nats,
    region: 'local',
    concurrency: 10,
    browsers: BROWSERS,
    waitingRoom: ROOM,
    runtime: createRuntime('checker', { logLevel: 'fatal' }),
    prepare() {},
    run: async ({ monitorId }) => {
      await released;
      ended.push(monitorId);
      return { kind: 'gone' };
    },
    screenshots: { keep: async () => {} },
    onEnd() {},
    onLoad: (now) => {
      load = now;
    },
  });
  await eventually(() => expect(load).toEqual({ running: BROWSERS, waiting: ROOM }));
  release();
  await eventually(() => expect(ended).toHaveLength(20));
  await intake[Symbol.asyncDispose]();
  await nats.close();
});
