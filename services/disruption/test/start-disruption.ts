import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { openDatabase } from '@tocsin/database';
import { appendEvents, type OutgoingEvent, outboxMigrations, outgoingEvent, startRelay } from '@tocsin/outbox';
import { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import { MonitorDeletedSchema, MonitorStateChangedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { connectNats, createRpcClient, createRuntime, createTransport, withToken } from '@tocsin/runtime';
import { testDatabase, testIdentity, testNats } from '@tocsin/testing';
import { v7 } from 'uuid';
import type { LinkedComponents } from '../src/app/ports.ts';
import { createService } from '../src/service.ts';

export const SENDER = 'status@example.com';

/** A disruption service on parts of its own, and the outbox of a monitor service that feeds it. */
export async function disruptionHouse(linkedComponents: LinkedComponents) {
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
    adminPort: 0,
    logLevel: 'silent',
    rpcPort: 0,
    databaseUrl: storage.url,
    natsUrl: nats.url,
    identityUrl: 'http://127.0.0.1:9',
    statuspageUrl: 'http://127.0.0.1:9',
    serviceSecret: 'secret',
    senderAddress: SENDER,
  };
  const overrides = { linkedComponents, verifier: identity.verifier };
  // Two replicas: whatever holds must hold with both at work.
  const server = stack.use(await createService(config, runtime(), overrides));
  stack.use(await createService(config, runtime(), overrides));
  const tables = stack.use(await openDatabase({ url: storage.url, entities: [], migrations: [], poolSize: 2 }));
  const url = `http://127.0.0.1:${server.rpcPort}`;
  const running = stack.move();

  return {
    nats: connection,
    tables,
    url,
    rpc: createRpcClient(DisruptionService, createTransport({ url })),
    /** Call options that act for an organization. */
    as: async (organizationId: string) => withToken(await identity.credentialToken(organizationId)),
    /** Commits facts of the monitor service, which its relay then publishes. */
    publish: (...events: OutgoingEvent[]) =>
      monitorDatabase.transaction('every organization', (tx) => appendEvents(tx, events)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A monitor as its events describe it. */
export function aMonitor({ organizationId = v7(), name = 'Shop' } = {}) {
  const id = v7();
  const about = { organizationId, aggregateId: id };
  const monitor = { id, organizationId, name, enabled: true };
  const changed = (previousState: MonitorState, state: MonitorState, time: string, explanation = '') =>
    outgoingEvent(
      MonitorStateChangedSchema,
      {
        monitor: { ...monitor, state },
        previousState,
        state,
        enteredAt: timestampFromDate(new Date(time)),
        explanation,
      },
      about,
    );
  return {
    id,
    organizationId,
    wentDown: (time: string, explanation = '1 of 1 regions failed') =>
      changed(MonitorState.UP, MonitorState.DOWN, time, explanation),
    recovered: (time: string) => changed(MonitorState.DOWN, MonitorState.UP, time),
    startedOver: (time: string) => changed(MonitorState.DOWN, MonitorState.PENDING, time),
    updated: (enabled: boolean) => outgoingEvent(MonitorUpdatedSchema, { monitor: { ...monitor, enabled } }, about),
    deleted: () => outgoingEvent(MonitorDeletedSchema, { monitor }, about),
  };
}
