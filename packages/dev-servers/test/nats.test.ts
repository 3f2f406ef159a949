import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { eventually, freePort } from '@tocsin/testing';
import { expect, inject, test } from 'vitest';
import { startNats } from '../src/nats.ts';
import { scratchFolder } from './scratch-folder.ts';

const users = [
  { name: 'all', password: 'all-password' },
  { name: 'reader', password: 'reader-password', publish: ['$JS.API.>'], subscribe: ['_INBOX.>'] },
] as const;

function connectTo(url: string, options: object = {}) {
  const { host, username: user, password: pass } = new URL(url);
  return connect({ servers: host, user, pass, ...options });
}

async function optionsIn(folder: string) {
  const binary = inject('natsServer');
  return { dataDir: join(folder, 'nats'), port: await freePort(), log: join(folder, 'nats.log'), binary, users };
}

async function publishOne(url: string): Promise<void> {
  const connection = await connectTo(url);
  await (await jetstreamManager(connection)).streams.add({
    name: 'KEPT',
    subjects: ['kept'],
    storage: StorageType.File,
  });
  await jetstream(connection).publish('kept', 'message');
  await connection.close();
}

async function countMessages(url: string): Promise<number> {
  const connection = await connectTo(url, { timeout: 1_000 });
  try {
    return (await (await jetstreamManager(connection)).streams.info('KEPT')).state.messages;
  } finally {
    await connection.close();
  }
}

test('the streams of NATS survive a restart', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  const first = await startNats(options);
  await publishOne(first.url);
  await first.stop();
  await using second = await startNats(options);
  expect(await countMessages(second.url)).toBe(1);
});

test('a killed server is restarted with its streams', async () => {
  await using folder = await scratchFolder();
  await using nats = await startNats(await optionsIn(folder.path));
  await publishOne(nats.url);
  process.kill(nats.pid ?? 0, 'SIGKILL');
  await eventually(async () => expect(await countMessages(nats.url)).toBe(1));
});

test.runIf(process.platform === 'linux')('the server collects garbage before its heap has doubled', async () => {
  await using folder = await scratchFolder();
  await using server = await startNats(await optionsIn(folder.path));
  expect((await readFile(`/proc/${server.pid}/environ`, 'utf8')).split('\0')).toContain('GOGC=25');
});

test('connecting requires credentials, and users are restricted to their permissions', async () => {
  await using folder = await scratchFolder();
  await using nats = await startNats(await optionsIn(folder.path));
  await publishOne(nats.url);
  const { host } = new URL(nats.url);
  await expect(connect({ servers: host })).rejects.toThrow('Authorization Violation');
  await expect(connect({ servers: host, user: 'all', pass: 'wrong' })).rejects.toThrow('Authorization Violation');
  const reader = await connectTo(nats.urlOf('reader'), { timeout: 1_000 });
  try {
    expect((await (await jetstreamManager(reader)).streams.info('KEPT')).state.messages).toBe(1);
    await expect(jetstream(reader).publish('kept', 'forged')).rejects.toThrow('Permissions Violation');
  } finally {
    await reader.close();
  }
  expect(await countMessages(nats.url)).toBe(1);
  expect((await stat(join(folder.path, 'nats', 'nats-server.conf'))).mode & 0o777).toBe(0o600);
});

test('a server that accepts connections but does not respond is started again', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  const said: string[] = [];
  await using server = await startNats({ ...options, say: (line) => said.push(line), checkEveryMs: 100 });
  const stuck = server.pid ?? 0;
  await publishOne(server.url);
  process.kill(stuck, 'SIGSTOP');
  await eventually(async () => expect(await countMessages(server.url)).toBe(1), { timeoutMs: 50_000 });
  expect(server.pid).not.toBe(stuck);
  expect(said[0]).toBe('JetStream does not respond: starting NATS again');
});
