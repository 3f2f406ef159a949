import { join } from 'node:path';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { eventually, freePort } from '@tocsin/testing';
import { expect, inject, test } from 'vitest';
import { startNats } from '../src/nats.ts';
import { scratchFolder } from './scratch-folder.ts';

async function optionsIn(folder: string) {
  const binary = inject('natsServer');
  return { dataDir: join(folder, 'nats'), port: await freePort(), log: join(folder, 'nats.log'), binary };
}

async function publishOne(url: string): Promise<void> {
  const connection = await connect({ servers: url });
  await (await jetstreamManager(connection)).streams.add({
    name: 'KEPT',
    subjects: ['kept'],
    storage: StorageType.File,
  });
  await jetstream(connection).publish('kept', 'message');
  await connection.close();
}

async function countMessages(url: string): Promise<number> {
  const connection = await connect({ servers: url, timeout: 1_000 });
  try {
    return (await (await jetstreamManager(connection)).streams.info('KEPT')).state.messages;
  } finally {
    await connection.close();
  }
}

test('streams last from start to start', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  const first = await startNats(options);
  await publishOne(first.url);
  await first.stop();
  await using second = await startNats(options);
  expect(await countMessages(second.url)).toBe(1);
});

test('a killed server is started again with its streams', async () => {
  await using folder = await scratchFolder();
  await using nats = await startNats(await optionsIn(folder.path));
  await publishOne(nats.url);
  process.kill(nats.pid ?? 0, 'SIGKILL');
  await eventually(async () => expect(await countMessages(nats.url)).toBe(1));
});
