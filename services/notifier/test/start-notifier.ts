import { Writable } from 'node:stream';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { openDatabase } from '@tocsin/database';
import { parseAllowedTargets } from '@tocsin/netguard';
import {
  appendEvents,
  EVENT_STREAM,
  eventSubject,
  type OutgoingEvent,
  outboxMigrations,
  outgoingEvent,
  startRelay,
} from '@tocsin/outbox';
import { MonitorAlertDueSchema, MonitorStateChangedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { type Channel, ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { SubscriptionService } from '@tocsin/proto/notifier/v1/subscription';
import { connectNats, createRpcClient, createRuntime, createTransport, type Runtime, withToken } from '@tocsin/runtime';
import { type TestCredential, testDatabase, testIdentity, testNats } from '@tocsin/testing';
import { generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { v7 } from 'uuid';
import type { NotifierConfig } from '../src/config.ts';
import { createService, type Overrides } from '../src/service.ts';
import { apisAt } from './provider-apis.ts';

export const BASE_URL = 'https://tocsin.example.com';

/** Lease that does not end during any test, in milliseconds. */
const NEVER_MS = 3_600_000;

/**
 * Starts two replicas of the notifier with a separate database and NATS. Also starts the outbox of a monitor service,
 * which publishes events.
 */
export async function notifierFixture(settings: Partial<NotifierConfig> = {}, overrides: Overrides = {}) {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await testDatabase('notifier'));
  const monitorStorage = stack.use(await testDatabase('monitor'));
  const nats = stack.use(await testNats());
  const identity = await testIdentity();
  const logged: string[] = [];
  const newRuntime = (): Runtime => {
    const write = (chunk: unknown, _: unknown, done: () => void) => {
      logged.push(String(chunk));
      done();
    };
    return createRuntime('notifier', { logLevel: 'trace', logTo: new Writable({ write }) });
  };

  const config: NotifierConfig = {
    host: '127.0.0.1',
    adminHost: '127.0.0.1',
    adminPort: 0,
    logLevel: 'trace',
    rpcPort: 0,
    databaseUrl: storage.runtimeUrl,
    ownerDatabaseUrl: storage.url,
    natsUrl: nats.url,
    identityUrl: 'http://127.0.0.1:9',
    statuspageUrl: 'http://127.0.0.1:9',
    monitorUrl: 'http://127.0.0.1:9',
    disruptionUrl: 'http://127.0.0.1:9',
    serviceSecret: 'secret',
    smtpUrl: undefined,
    mailFrom: 'Tocsin <tocsin@example.com>',
    vaultKeys: parseVaultKeys(generateVaultKey('k1')),
    allowedTargets: parseAllowedTargets('127.0.0.0/8'),
    closedPorts: new Set<number>(),
    references: [],
    stormMonitors: 0,
    calmChanges: 0,
    maxMessagesPerHour: 0,
    baseUrl: BASE_URL,
    apiUrls: apisAt('http://127.0.0.1:9'),
    retryBaseMs: 5,
    subscriptionWaitsMs: [5, 10],
    ...settings,
  };
  const runtimes = [newRuntime(), newRuntime()];
  const servers = await Promise.all(
    runtimes.map((runtime) =>
      createService(config, runtime, { verifier: identity.verifier, probeEveryMs: NEVER_MS, ...overrides }),
    ),
  );
  for (const server of servers) stack.use(server);
  const url = `http://127.0.0.1:${servers[0]?.rpcPort}`;
  const rpc = createRpcClient(ChannelService, createTransport({ url, service: 'notifier' }));
  const subscriptions = createRpcClient(SubscriptionService, createTransport({ url, service: 'notifier' }));

  const tables = stack.use(await openDatabase({ url: storage.url, entities: [], migrations: [], poolSize: 4 }));
  const monitorDatabase = stack.use(
    await openDatabase({ url: monitorStorage.url, entities: [], migrations: outboxMigrations }),
  );
  const connection = stack.use(await connectNats(nats.url, newRuntime())).connection;
  stack.use(startRelay({ databaseUrl: monitorStorage.url, nats: connection, runtime: newRuntime() }));
  const running = stack.move();

  /** Returns call options for calls on behalf of an organization. */
  const as = async (organizationId: string, credential: TestCredential = {}) =>
    withToken(await identity.credentialToken(organizationId, credential));

  return {
    url,
    rpc,
    subscriptions,
    as,
    /** Returns call options for calls that a service makes for one organization, or across organizations. */
    asService: async (service: string, organizationId?: string) =>
      withToken(await identity.serviceToken(service, organizationId)),
    logged,
    runtimes,
    tables,
    /** The database of the notifier. */
    database: tables,
    /** Runs a query across all organizations, and returns the rows. */
    query: <Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []) =>
      tables.transaction('every organization', (tx) => tx.query<Row>(sql, parameters)),
    async createChannel(organizationId: string, config: unknown, type = 'webhook', name = 'Ops'): Promise<Channel> {
      const request = { name, type, configJson: JSON.stringify(config) };
      const { channel } = await rpc.createChannel(request, await as(organizationId));
      if (!channel) throw new Error('no channel in the answer');
      return channel;
    },
    async getChannel(organizationId: string, id: string): Promise<Channel | undefined> {
      return (await rpc.getChannel({ id }, await as(organizationId))).channel;
    },
    /** Commits monitor service events, which the relay then publishes. */
    publish: (...events: OutgoingEvent[]) =>
      monitorDatabase.transaction('every organization', (tx) => appendEvents(tx, events)),
    /** Commits monitor service events with the given time. */
    publishAt: (at: Date, ...events: OutgoingEvent[]) =>
      monitorDatabase.transaction('every organization', (tx) => appendEvents(tx, events, at)),
    /** Returns the events about a channel that the notifier published, in the order of the stream. */
    async publishedAbout(channelId: string): Promise<{ type: string; data: Uint8Array }[]> {
      const { streams } = await jetstreamManager(connection);
      const { state } = await streams.info(EVENT_STREAM);
      const found: { type: string; data: Uint8Array }[] = [];
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        const message = await streams.getMessage(EVENT_STREAM, { seq });
        if (message?.header.get('Tocsin-Aggregate') !== channelId) continue;
        found.push({ type: message.header.get('Tocsin-Type'), data: message.data });
      }
      return found;
    },
    /** Publishes an event again with a new message id, so that the stream does not drop it as a duplicate. */
    async publishAgain(event: OutgoingEvent, sequence: number): Promise<void> {
      const again = headers();
      again.set('Tocsin-Type', event.type);
      again.set('Tocsin-Organization', event.organizationId);
      again.set('Tocsin-Aggregate', event.aggregateId);
      again.set('Tocsin-Sequence', String(sequence));
      again.set('Tocsin-Occurred-At', new Date().toISOString());
      await jetstream(connection).publish(eventSubject(event.type), event.payload, { headers: again, msgID: v7() });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type NotifierFixture = Awaited<ReturnType<typeof notifierFixture>>;

/** Returns functions that create the events of a monitor. */
export function aMonitor(
  organizationId: string,
  alertChannelIds: readonly string[],
  name = 'Shop',
  alertChannelLinks: { channelId: string; afterMinutes: number; events?: string[] }[] = [],
) {
  const id = v7();
  const configJson = JSON.stringify({ url: 'https://shop.example.com/health' });
  const monitor = { id, organizationId, name, configJson, alertChannelIds: [...alertChannelIds], alertChannelLinks };
  const changed = (
    previousState: MonitorState,
    state: MonitorState,
    time: string,
    {
      previousTime,
      ...rest
    }: { previousTime?: string; error?: string; underMaintenance?: boolean; outageId?: string } = {},
  ) =>
    outgoingEvent(
      MonitorStateChangedSchema,
      {
        monitor: { ...monitor, state },
        previousState,
        state,
        enteredAt: timestampFromDate(new Date(time)),
        ...(previousTime && { previousEnteredAt: timestampFromDate(new Date(previousTime)) }),
        ...rest,
      },
      { organizationId, aggregateId: id },
    );
  return {
    id,
    cameUp: (time: string) => changed(MonitorState.PENDING, MonitorState.UP, time),
    wentDown: (time: string, error = 'status 502, expected 200', outageId = '') =>
      changed(MonitorState.UP, MonitorState.DOWN, time, { error, outageId }),
    recovered: (time: string, previousTime: string, outageId = '') =>
      changed(MonitorState.DOWN, MonitorState.UP, time, { previousTime, outageId }),
    wentDownUnderMaintenance: (time: string) =>
      changed(MonitorState.UP, MonitorState.DOWN, time, { error: 'status 502', underMaintenance: true }),
    alertDue: (time: string, outageId = '') =>
      outgoingEvent(
        MonitorAlertDueSchema,
        {
          monitor,
          state: MonitorState.DOWN,
          error: 'status 502',
          outageId,
          enteredAt: timestampFromDate(new Date(time)),
        },
        { organizationId, aggregateId: id },
      ),
    fellSilent: (time: string) => changed(MonitorState.UP, MonitorState.STALE, time),
    wasHeardAgain: (time: string, previousTime: string) =>
      changed(MonitorState.STALE, MonitorState.UP, time, { previousTime }),
    startedOver: (time: string) => changed(MonitorState.DOWN, MonitorState.PENDING, time),
  };
}
