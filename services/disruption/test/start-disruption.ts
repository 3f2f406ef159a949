import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstreamManager } from '@nats-io/jetstream';
import { openDatabase } from '@tocsin/database';
import {
  appendEvents,
  EVENT_STREAM,
  type OutgoingEvent,
  outboxMigrations,
  outgoingEvent,
  startRelay,
} from '@tocsin/outbox';
import { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import {
  type DisableReason,
  MonitorDeletedSchema,
  MonitorStateChangedSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { connectNats, createRpcClient, createRuntime, createTransport, withToken } from '@tocsin/runtime';
import { testDatabase, testIdentity, testNats } from '@tocsin/testing';
import { v7 } from 'uuid';
import type { Components } from '../src/app/ports.ts';
import { createService } from '../src/service.ts';
import { entities } from '../src/storage/schema.ts';

export const SENDER = 'status@example.com';

/** Returns the links of a page, derived from the links of each monitor. */
export function onPageOf(whileDown: Components['whileDown']): Components['onPageWhileDown'] {
  return async (organizationId, statusPageId, monitorIds) => {
    const linked = monitorIds.map(async (id) => {
      const components = await whileDown(organizationId, id);
      return [id, components.filter((component) => component.statusPageId === statusPageId)] as const;
    });
    return new Map((await Promise.all(linked)).filter(([, components]) => components.length > 0));
  };
}

/**
 * Runs two replicas of the disruption service without the services that it calls, and an outbox for the events of a
 * monitor service.
 */
export async function disruptionFixture({
  whileDown = async () => [],
  onPageWhileDown = onPageOf(whileDown),
  namesOnPage = async () => undefined,
  now = () => new Date(),
}: Partial<Components> & { now?: () => Date } = {}) {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await testDatabase('disruption'));
  const monitorStorage = stack.use(await testDatabase('monitor'));
  const nats = stack.use(await testNats());
  const identity = await testIdentity();
  const runtime = () => createRuntime('disruption', { logLevel: 'error' });

  const monitorDatabase = stack.use(
    await openDatabase({ url: monitorStorage.url, entities: [], migrations: outboxMigrations }),
  );
  const connection = stack.use(await connectNats(nats.url, runtime())).connection;
  stack.use(startRelay({ databaseUrl: monitorStorage.url, nats: connection, runtime: runtime() }));

  const config = {
    host: '127.0.0.1',
    adminHost: '127.0.0.1',
    adminPort: 0,
    logLevel: 'silent',
    rpcPort: 0,
    databaseUrl: storage.runtimeUrl,
    ownerDatabaseUrl: storage.url,
    natsUrl: nats.url,
    identityUrl: 'http://127.0.0.1:9',
    statuspageUrl: 'http://127.0.0.1:9',
    serviceSecret: 'secret',
    senderAddress: SENDER,
  };
  const overrides = { components: { whileDown, onPageWhileDown, namesOnPage }, now, verifier: identity.verifier };
  // Run two replicas in every test, because the service must work correctly with several replicas.
  const server = stack.use(await createService(config, runtime(), overrides));
  const second = stack.use(await createService(config, runtime(), overrides));
  const tables = stack.use(await openDatabase({ url: storage.url, entities, migrations: [], poolSize: 2 }));
  const url = `http://127.0.0.1:${server.rpcPort}`;
  const running = stack.move();

  return {
    nats: connection,
    tables,
    url,
    rpc: createRpcClient(DisruptionService, createTransport({ url, service: 'disruption' })),
    replica: createRpcClient(
      DisruptionService,
      createTransport({ url: `http://127.0.0.1:${second.rpcPort}`, service: 'disruption' }),
    ),
    /** Returns call options for calls on behalf of an organization. */
    as: async (organizationId: string, claims: Parameters<typeof identity.credentialToken>[1] = {}) =>
      withToken(await identity.credentialToken(organizationId, claims)),
    /** Returns call options for a service that acts on behalf of an organization. */
    asService: async (service: string, organizationId: string) =>
      withToken(await identity.serviceToken(service, organizationId)),
    /** Commits monitor service events, which the relay then publishes. */
    publish: (...events: OutgoingEvent[]) =>
      monitorDatabase.transaction('every organization', (tx) => appendEvents(tx, events)),
    /** Returns the types and messages of a disruption's events, in the order of the stream. */
    async published(disruptionId: string) {
      const { streams } = await jetstreamManager(connection);
      const { state } = await streams.info(EVENT_STREAM);
      const found: { type: string; data: Uint8Array }[] = [];
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        const message = await streams.getMessage(EVENT_STREAM, { seq });
        if (message?.header.get('Tocsin-Aggregate') === disruptionId)
          found.push({ type: message.header.get('Tocsin-Type'), data: message.data });
      }
      return found;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns a monitor with functions that create its events. */
export function aMonitor({ organizationId = v7(), name = 'Shop' } = {}) {
  const id = v7();
  const about = { organizationId, aggregateId: id };
  const monitor = { id, organizationId, name, enabled: true };
  const changed = (previousState: MonitorState, state: MonitorState, time: string, explanation = '', outageId = '') =>
    outgoingEvent(
      MonitorStateChangedSchema,
      {
        monitor: { ...monitor, state },
        previousState,
        state,
        enteredAt: timestampFromDate(new Date(time)),
        explanation,
        outageId,
      },
      about,
    );
  return {
    id,
    organizationId,
    wentDown: (time: string, explanation = '1 of 1 regions failed', outageId = v7()) =>
      changed(MonitorState.UP, MonitorState.DOWN, time, explanation, outageId),
    recovered: (time: string) => changed(MonitorState.DOWN, MonitorState.UP, time),
    startedOver: (time: string) => changed(MonitorState.DOWN, MonitorState.PENDING, time),
    autoDisabled: (reason: DisableReason) =>
      outgoingEvent(MonitorUpdatedSchema, { monitor: { ...monitor, enabled: false }, autoDisabled: reason }, about),
    updated: (enabled: boolean, { wasDisabled = false } = {}) =>
      outgoingEvent(MonitorUpdatedSchema, { monitor: { ...monitor, enabled }, wasDisabled }, about),
    deleted: () => outgoingEvent(MonitorDeletedSchema, { monitor }, about),
  };
}
