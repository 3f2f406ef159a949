import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startNats } from '@tocsin/dev-servers/nats';
import { ensureEventStream } from '@tocsin/outbox';
import { connectNats, createRuntime, natsOptions } from '@tocsin/runtime';
import { freePort } from '@tocsin/testing';
import { ensureCheckStreams, jobSubject, RESULT_SUBJECT } from '@tocsin/work-queue';
import { afterAll, expect, inject, test } from 'vitest';
import { scratchFolder } from '../../../packages/dev-servers/test/scratch-folder.ts';
import { republishAfterLoss } from '../../../packages/outbox/src/published-events.ts';
import { natsUsers } from '../nats-users.ts';
import { type NatsUserName, natsUserNames, type ProcessName, processNames } from '../service-names.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const folder = stack.use(await scratchFolder());
const passwords = Object.fromEntries(natsUserNames.map((name) => [name, `${name}-password`]));
const nats = stack.use(
  await startNats({
    dataDir: join(folder.path, 'nats'),
    port: await freePort(),
    log: join(folder.path, 'nats.log'),
    binary: inject('natsServer'),
    users: natsUsers(passwords as Record<NatsUserName, string>),
  }),
);

async function connectAs(name: ProcessName): Promise<NatsConnection> {
  const runtime = createRuntime(name, { logLevel: 'silent' });
  return stack.use(await connectNats(nats.urlOf(name), runtime)).connection;
}

const event = (service: string) => `event.tocsin.${service}.v1.Something`;
const services = processNames.filter((name) => name !== 'gateway' && name !== 'checker');

test.each(services)('service %s cannot delete the event stream, and can publish only its own events', async (name) => {
  const connection = await connectAs(name);
  await ensureEventStream(connection);
  const stream = jetstream(connection, { timeout: 2_000 });
  await stream.publish(event(name), 'own');
  for (const other of processNames.filter((other) => other !== name)) {
    await expect(stream.publish(event(other), 'forged')).rejects.toThrow('Permissions Violation');
  }
  const { streams } = await jetstreamManager(connection);
  await expect(streams.delete('EVENTS')).rejects.toThrow('Permissions Violation');
});

test.each([
  { permission: 'with', publish: ['$JS.API.STREAM.MSG.GET.EVENTS'], finds: 1 },
  { permission: 'without', publish: [], finds: 0 },
])('$permission the permission to read events, a relay finds $finds lost events', async ({ publish, finds }) => {
  const all = { name: 'all', password: 'all-password' };
  const permitted = ['$JS.API.INFO', '$JS.API.STREAM.INFO.EVENTS', ...publish];
  const relay = { name: 'relay', password: 'relay-password', publish: permitted, subscribe: ['_INBOX_relay.>'] };
  await using folder = await scratchFolder();
  await using server = await startNats({
    dataDir: join(folder.path, 'nats'),
    port: await freePort(),
    log: join(folder.path, 'nats.log'),
    binary: inject('natsServer'),
    users: [all, relay],
  });
  const owner = await connect(natsOptions(server.urlOf('all')));
  await ensureEventStream(owner);
  const { seq } = await jetstream(owner).publish('event.test', 'first');
  const { created } = await (await jetstreamManager(owner)).streams.info('EVENTS');
  await owner.close();
  const connection = await connect({ ...natsOptions(server.urlOf('relay')), inboxPrefix: '_INBOX_relay' });
  const client = {
    async query(statement: string | { text: string }) {
      const text = typeof statement === 'string' ? statement : statement.text;
      if (text.includes('from event_stream')) {
        return { rows: [{ created, last_id: 'another', last_sequence: String(seq) }] };
      }
      return { rows: [], rowCount: 1 };
    },
  } as unknown as Parameters<typeof republishAfterLoss>[0];
  expect(await republishAfterLoss(client, connection)).toBe(finds);
  await connection.close();
});

test('a checker can publish only results', async () => {
  await ensureCheckStreams(await connectAs('monitor'));
  const connection = await connectAs('checker');
  const stream = jetstream(connection, { timeout: 2_000 });
  await stream.publish(RESULT_SUBJECT, 'result');
  for (const subject of [jobSubject('local'), event('monitor'), event('identity')]) {
    await expect(stream.publish(subject, 'forged')).rejects.toThrow('Permissions Violation');
  }
});

test.each(processNames)("process %s can't subscribe to messages for other processes", async (name) => {
  const connection = await connect({ ...natsOptions(nats.urlOf(name)), inboxPrefix: `_INBOX_${name}` });
  const others = [
    '>',
    'result.>',
    'job.>',
    event('notifier'),
    `_INBOX_${name === 'monitor' ? 'checker' : 'monitor'}.>`,
  ];
  try {
    for (const subject of others) {
      const refused = Promise.withResolvers<Error | null>();
      connection.subscribe(subject, { callback: (error) => refused.resolve(error) });
      expect(String(await refused.promise)).toContain('Permissions Violation');
    }
  } finally {
    await connection.close();
  }
});
