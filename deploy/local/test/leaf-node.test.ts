import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { authorization } from '@tocsin/dev-servers/nats';
import { connectNats, createRuntime } from '@tocsin/runtime';
import { freePort } from '@tocsin/testing';
import { ensureCheckStreams, JOB_STREAM, jobSubject, RESULT_SUBJECT } from '@tocsin/work-queue';
import { afterAll, expect, inject, test } from 'vitest';
import { scratchFolder } from '../../../packages/dev-servers/test/scratch-folder.ts';
import { natsUsers } from '../nats-users.ts';
import { type NatsUserName, natsUserNames } from '../service-names.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const folder = stack.use(await scratchFolder());

/** Starts a NATS server with a configuration. */
async function startServer(name: string, configuration: string): Promise<void> {
  const file = join(folder.path, `${name}.conf`);
  await writeFile(file, configuration);
  const server = spawn(inject('natsServer') ?? 'nats-server', ['--config', file], { stdio: 'ignore' });
  const exited = once(server, 'exit');
  stack.defer(async () => {
    server.kill();
    await exited;
  });
}

/** Returns the leaf node settings in the chart for regions. */
async function chartSettings(): Promise<string> {
  const values = join(import.meta.dirname, '..', '..', 'charts', 'tocsin-region', 'leaf-node-values.yaml');
  const [line = ''] = (await readFile(values, 'utf8')).match(/^ *default_js_domain:.*$/m) ?? [];
  return line;
}

const passwords = Object.fromEntries(natsUserNames.map((name) => [name, `${name}-password`]));
const ports = { centre: await freePort(), leafNodes: await freePort(), region: await freePort() };
await startServer(
  'centre',
  `listen: "127.0.0.1:${ports.centre}"
   jetstream { store_dir: ${JSON.stringify(join(folder.path, 'streams'))}, max_file_store: 6GB }
   leafnodes { listen: "127.0.0.1:${ports.leafNodes}" }
   ${authorization(natsUsers(passwords as Record<NatsUserName, string>))}`,
);
await startServer(
  'region',
  `listen: "127.0.0.1:${ports.region}"
   ${await chartSettings()}
   authorization { user: checker, password: "of-the-region" }
   leafnodes { remotes: [{ url: "nats-leaf://checker:checker-password@127.0.0.1:${ports.leafNodes}" }] }`,
);

async function connectAs(name: string, port: number, password: string) {
  const url = `nats://${name}:${password}@127.0.0.1:${port}`;
  return stack.use(await connectNats(url, createRuntime(name, { logLevel: 'silent' }))).connection;
}

test('a checker that is connected through a leaf node has the permissions of the checker user on the central server', async () => {
  const monitor = await connectAs('monitor', ports.centre, 'monitor-password');
  await ensureCheckStreams(monitor);
  const checker = await connectAs('checker', ports.region, 'of-the-region');
  await expect
    .poll(() => ensureCheckStreams(checker).then(() => 'reached', String), { timeout: 20_000 })
    .toBe('reached');

  const { consumers, streams } = await jetstreamManager(checker);
  const name = 'checker-eu';
  await consumers.add(JOB_STREAM, {
    durable_name: name,
    filter_subject: jobSubject('eu'),
    ack_policy: AckPolicy.Explicit,
  });
  await jetstream(monitor).publish(jobSubject('eu'), 'job');
  const stream = jetstream(checker, { timeout: 2_000 });
  const job = await (await stream.consumers.get(JOB_STREAM, name)).next({ expires: 5_000 });
  expect(job?.string()).toBe('job');
  expect(await job?.ackAck()).toBe(true);
  await stream.publish(RESULT_SUBJECT, 'result');

  await expect(stream.publish(jobSubject('eu'), 'forged')).rejects.toThrow();
  await expect(stream.publish('event.tocsin.monitor.v1.Something', 'forged')).rejects.toThrow();
  await expect(streams.delete(JOB_STREAM)).rejects.toThrow();
});
