import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { natsOptions } from '@tocsin/runtime';
import { eventually, testNats } from '@tocsin/testing';
import { ensureCheckStreams, JOB_STREAM, jobConsumer, jobSubject } from '@tocsin/work-queue';
import { expect, test } from 'vitest';
import { natsRegions } from '../src/clients/nats-regions.ts';

test('a region counts as served while a checker waits for its jobs', async () => {
  await using server = await testNats();
  const nats = await connect(natsOptions(server.url));
  const checker = await connect(natsOptions(server.url));
  await ensureCheckStreams(nats);
  const regions = natsRegions(nats);
  expect(await regions.isServed('east')).toBe(false);

  const { consumers } = await jetstreamManager(checker);
  const durable = jobConsumer('east');
  const filter = { filter_subject: jobSubject('east'), ack_policy: AckPolicy.Explicit };
  await consumers.add(JOB_STREAM, { durable_name: durable, ...filter });
  expect(await regions.isServed('east')).toBe(false);
  const jobs = await jetstream(checker).consumers.get(JOB_STREAM, durable);
  await jobs.consume({ callback: (message) => message.ack() });
  await eventually(async () => expect(await regions.isServed('east')).toBe(true));
  expect(await regions.isServed('west')).toBe(false);

  await checker.close();
  await eventually(async () => expect(await regions.isServed('east')).toBe(false));
  await nats.close();
});
