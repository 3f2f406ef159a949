import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter, Transport } from '@connectrpc/connect';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Database, DatabaseOptions } from '@tocsin/database';
import {
  advanceOrganizations,
  type ConsumerOptions,
  createEventSlots,
  deleteExecutedRequests,
  deleteOldPositions,
  EXECUTED_REQUESTS_DUE,
  ensureEventStream,
  OLD_POSITIONS_EVERY_MS,
  ORGANIZATIONS_DUE,
  type OrganizationHooks,
  startConsumer,
  startRelay,
} from '@tocsin/outbox';
import { ExportService } from '@tocsin/proto/export/v1/export';
import {
  connectNats,
  createRemoteTokenVerifier,
  createTokenSource,
  createTransport,
  openTls,
  type RpcServerOptions,
  type Runtime,
  startRpcServer,
  type TokenVerifier,
  untilItWorks,
} from '@tocsin/runtime';
import { startDatabaseClock } from './database-clock.ts';
import { exportRpc } from './export-rpc.ts';
import { type Loop, startLoops } from './loops.ts';
import { openServiceDatabase } from './open-service-database.ts';
import { organizationHandlers } from './organization-handlers.ts';
import { refuseStopped } from './refuse-stopped.ts';
import { type RewrapOptions, startRewrapping } from './rewrap-sealed.ts';
import { type DatabaseConfig, DEFAULT_CONNECTIONS } from './service-config.ts';

/** Definition of a service. */
export interface ServiceDefinition extends Pick<DatabaseOptions, 'entities' | 'migrations'> {
  readonly config: DatabaseConfig;
  readonly runtime: Runtime;
  /** Verifier of internal tokens. Defaults to a verifier with identity's public keys. */
  readonly verifier?: TokenVerifier | undefined;
  /** Clock that replaces the clock of the database in tests. */
  readonly now?: (() => Date) | undefined;
}

/** Parts from which a service is composed. */
export interface ServiceParts {
  readonly database: Database;
  readonly nats: NatsConnection;
  /**
   * Returns the time of the database server. For up to ten seconds after this host resumes from suspension, the
   * returned time may lag behind.
   */
  readonly now: () => Date;
  /** Reads the clock of the database server. */
  readonly readClock: () => Promise<Date>;
  /** Owner of resources that the service creates itself. They are disposed after consumers and loops. */
  readonly stack: AsyncDisposableStack;
  /** Returns a transport to another service, with this service's tokens. */
  transportTo(service: string, url: string): Transport;
}

export interface ServiceConsumer extends Pick<ConsumerOptions, 'name' | 'source' | 'handlers' | 'ignored'> {
  /**
   * Whether the consumer handles events that also cause alerts. If its service shares the process with the notifier, it
   * lets the alerts go first.
   */
  readonly afterAlerts?: boolean;
}

/** RPC routes, consumers and loops of a service. */
export interface Composition {
  readonly consumers?: readonly ServiceConsumer[];
  readonly loops?: readonly Loop[];
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  readonly web?: RpcServerOptions['web'];
  /**
   * Tables with the aggregates whose events the service publishes, whose column `id` is the id of the aggregate. None
   * may be missing: an aggregate that is in none of them counts as deleted.
   */
  readonly aggregates: readonly string[];
  /** Columns that an export of an organization contains. */
  readonly exported: Parameters<typeof exportRpc>[1];
  /** Hooks that run when an organization is stopped, resumed or deleted. Its rows are deleted in any case. */
  readonly organizations?: OrganizationHooks;
  /**
   * Vault, and the columns that contain its encrypted texts. The data keys of these texts are wrapped again when the
   * operator changes the vault's primary key.
   */
  readonly sealed?: Pick<RewrapOptions, 'vault' | 'columns' | 'keysFile'>;
}

const ORGANIZATIONS_EVERY_MS = 5_000;
const DELETE_REQUESTS_EVERY_MS = 10 * 60_000;

/** Milliseconds for which an event waits that also causes alerts. The notifier needs about as long for an alert. */
const AFTER_ALERTS_MS = 20;

export interface RunningService extends AsyncDisposable {
  readonly rpcPort: number;
}

/**
 * Starts a service: waits for its database and for NATS, composes it, and serves. Disposing it rejects new calls, waits
 * for running calls, events and loops, and closes the connections.
 */
export async function startService(
  { config, runtime, verifier, now: given, ...schema }: ServiceDefinition,
  compose: (parts: ServiceParts) => Composition | Promise<Composition>,
): Promise<RunningService> {
  await using stack = new AsyncDisposableStack();
  const { host, rpcPort, databaseUrl, identityUrl, serviceSecret: secret } = config;

  const database = stack.use(await openServiceDatabase(config, runtime, schema));
  const clock = stack.use(await startDatabaseClock(database, runtime));
  const now = given ?? clock.now;
  const readClock = given ? async () => given() : clock.read;
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;
  await untilItWorks('the event stream', runtime, () => ensureEventStream(nats));
  stack.use(startRelay({ databaseUrl, nats, runtime }));

  const tls = await openTls({ folder: config.tlsFolder, runtime });
  if (tls) stack.use(tls);
  const tokens = createTokenSource({ service: runtime.service, secret, identityUrl, tls });
  const transportTo = (service: string, url: string) => createTransport({ url, service, tokens, tls });
  const parts = { database, nats, now, readClock, stack, transportTo };
  const {
    consumers = [],
    loops = [],
    organizations = {},
    sealed,
    aggregates,
    exported,
    services,
    routes,
    web,
  } = await compose(parts);
  const lifecycle = {
    name: `${runtime.service}-from-identity`,
    source: 'tocsin.identity.v1',
    handlers: organizationHandlers(organizations),
  };

  const slots = createEventSlots(config.connections ?? DEFAULT_CONNECTIONS);
  const consuming: AsyncDisposable[] = [];
  stack.defer(async () => {
    await Promise.all(consuming.map((consumer) => consumer[Symbol.asyncDispose]()));
  });
  const all: readonly ServiceConsumer[] = [...consumers, lifecycle];
  for (const { afterAlerts = false, ...consumer } of all) {
    const deferMs = afterAlerts && runtime.sharesProcess ? AFTER_ALERTS_MS : 0;
    consuming.push(await startConsumer({ ...consumer, database, nats, runtime, slots, deferMs }));
  }
  const refusing = refuseStopped({
    database,
    verifier: verifier ?? createRemoteTokenVerifier(identityUrl, { tls, now: clock.now }),
  });
  const advancing: Loop = {
    name: 'resuming and deleting organizations',
    everyMs: ORGANIZATIONS_EVERY_MS,
    dueSql: ORGANIZATIONS_DUE,
    run: () => advanceOrganizations(database, organizations, now()),
  };
  const deletingRequests: Loop = {
    name: 'deleting executed requests',
    everyMs: DELETE_REQUESTS_EVERY_MS,
    dueSql: EXECUTED_REQUESTS_DUE,
    run: () => deleteExecutedRequests(database, now()),
  };
  const deletingPositions: Loop = {
    name: 'deleting old positions of events',
    everyMs: OLD_POSITIONS_EVERY_MS,
    run: () => deleteOldPositions({ database, nats, aggregates }),
  };
  stack.use(
    startLoops([...loops, advancing, deletingRequests, deletingPositions, refusing.loop], { database, runtime, now }),
  );
  if (sealed) stack.use(startRewrapping({ database, runtime, ...sealed }));
  const server = stack.use(
    await startRpcServer({
      host,
      port: rpcPort,
      runtime,
      tls,
      verifier: refusing,
      services: [...services, ExportService],
      routes: (router) => routes(router.service(ExportService, exportRpc(database, exported))),
      ...(web && { web }),
    }),
  );
  const running = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
