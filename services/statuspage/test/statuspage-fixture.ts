import type { MessageInitShape } from '@bufbuild/protobuf';
import { openDatabase } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { appendEvents, type OutgoingEvent, outboxMigrations, startRelay } from '@tocsin/outbox';
import { ComponentService } from '@tocsin/proto/statuspage/v1/component';
import {
  type ComponentInputSchema,
  type Entry,
  type EntryInputSchema,
  StatusPageService,
} from '@tocsin/proto/statuspage/v1/statuspage';
import { connectNats, createRpcClient, createRuntime, createTransport, withToken } from '@tocsin/runtime';
import { type TestCredential, testDatabase, testIdentity, testNats } from '@tocsin/testing';
import { v7 } from 'uuid';
import type { Dns, LogoSource } from '../src/app/ports.ts';
import type { LastRound } from '../src/domain/last-checks.ts';
import { createService } from '../src/service.ts';

const NO_LOGOS: LogoSource = { fetch: async () => ({ kind: 'failed', error: 'there is no network' }) };

/**
 * Runs two replicas of the statuspage service with fake dependencies, and an outbox for the events of other services.
 */
export async function statusPageFixture({
  now,
  statusDomain,
  dns,
  logos = NO_LOGOS,
  snapshotDir,
}: {
  now?: () => Date;
  statusDomain?: string;
  dns?: Dns;
  logos?: LogoSource;
  snapshotDir?: string;
} = {}) {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await testDatabase('statuspage'));
  const feed = stack.use(await testDatabase('feed'));
  const nats = stack.use(await testNats());
  const identity = await testIdentity();
  const runtime = () => createRuntime('statuspage', { logLevel: 'error' });

  const feedDatabase = stack.use(await openDatabase({ url: feed.url, entities: [], migrations: outboxMigrations }));
  const connection = stack.use(await connectNats(nats.url, runtime())).connection;
  stack.use(startRelay({ databaseUrl: feed.url, nats: connection, runtime: runtime() }));

  /** Last rounds of monitors, by id; undefined while the monitor service is unreachable. */
  let lastRounds: Map<string, LastRound> | undefined = new Map();
  /** Existing monitors, by organization. */
  const monitors = new Map<string, Set<string>>();
  const config = {
    host: '127.0.0.1',
    adminHost: '127.0.0.1',
    adminPort: 0,
    logLevel: 'error',
    rpcPort: 0,
    databaseUrl: storage.runtimeUrl,
    ownerDatabaseUrl: storage.url,
    natsUrl: nats.url,
    identityUrl: 'http://127.0.0.1:9',
    monitorUrl: 'http://127.0.0.1:9',
    serviceSecret: 'secret',
    baseUrl: 'http://tocsin.test',
    statusDomain,
    allowedTargets: [],
    closedPorts: new Set<number>(),
    ...(snapshotDir !== undefined && { snapshots: { directory: snapshotDir } }),
  };
  const overrides = {
    verifier: identity.verifier,
    monitors: {
      existing: async (organizationId: string, ids: readonly string[]) =>
        ids.filter((id) => monitors.get(organizationId)?.has(id)),
      lastRounds: async () => {
        if (!lastRounds) throw new ServiceError('unavailable', 'the monitor service is unreachable');
        return lastRounds;
      },
    },
    ...(now && { now }),
    ...(dns && { dns }),
    logos,
  };
  // Two replicas run, because every test must pass with two.
  const first = stack.use(await createService(config, runtime(), overrides));
  const second = stack.use(await createService(config, runtime(), overrides));
  const tables = stack.use(await openDatabase({ url: storage.url, entities: [], migrations: [], poolSize: 2 }));
  const client = (url: string) => createRpcClient(StatusPageService, createTransport({ url, service: 'statuspage' }));
  const componentClient = (url: string) =>
    createRpcClient(ComponentService, createTransport({ url, service: 'statuspage' }));
  const url = `http://127.0.0.1:${first.rpcPort}`;
  const replicaUrl = `http://127.0.0.1:${second.rpcPort}`;
  const running = stack.move();

  return {
    nats: connection,
    tables,
    databaseUrl: storage.url,
    url,
    rpc: client(url),
    replica: client(replicaUrl),
    monitors: overrides.monitors,
    components: componentClient(url),
    componentsReplica: componentClient(replicaUrl),
    /** Returns call options for calls on behalf of an organization. */
    as: async (organizationId: string, credential: TestCredential = {}) =>
      withToken(await identity.credentialToken(organizationId, credential)),
    /** Returns call options for calls that a service makes across organizations. */
    asService: async (service: string) => withToken(await identity.serviceToken(service)),
    addMonitor(organizationId: string): string {
      const id = v7();
      monitors.set(organizationId, (monitors.get(organizationId) ?? new Set()).add(id));
      return id;
    },
    /** Sets the last rounds of monitors; undefined makes the monitor service unreachable. */
    setLastRounds(rounds: Record<string, LastRound> | undefined): void {
      lastRounds = rounds && new Map(Object.entries(rounds));
    },
    /** Commits events of other services to the outbox. The outbox's relay then publishes them. */
    publish: (...events: OutgoingEvent[]) =>
      feedDatabase.transaction('every organization', (tx) => appendEvents(tx, events)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

let slugs = 0;

/** Returns a slug that no other page of the test file has. */
export function freshSlug(): string {
  slugs += 1;
  return `page-${slugs}`;
}

type ComponentWish = MessageInitShape<typeof ComponentInputSchema>;

export function component(input: ComponentWish = { name: 'API' }): MessageInitShape<typeof EntryInputSchema> {
  return { entry: { case: 'component', value: input } };
}

export function group(
  name: string,
  components: ComponentWish[],
  id?: string,
): MessageInitShape<typeof EntryInputSchema> {
  return { entry: { case: 'group', value: { name, components, ...(id && { id }) } } };
}

/** Returns the names of a tree: a string for a component, `{group: [components]}` for a group. */
export function outline(entries: readonly Entry[] | undefined): unknown[] {
  return (entries ?? []).map(({ entry }) => {
    if (entry.case === 'group') return { [entry.value.name]: entry.value.components.map(({ name }) => name) };
    return entry.value?.name;
  });
}

/** Returns all components of a tree, by name. */
export function componentsByName(entries: readonly Entry[] | undefined) {
  const components = (entries ?? []).flatMap(({ entry }) => {
    if (entry.case === 'group') return entry.value.components;
    return entry.case === 'component' ? [entry.value] : [];
  });
  return Object.fromEntries(components.map((one) => [one.name, one]));
}
