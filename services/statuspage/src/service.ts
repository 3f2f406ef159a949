import { openDatabase } from '@tocsin/database';
import { startConsumer, startRelay } from '@tocsin/outbox';
import { ComponentService } from '@tocsin/proto/statuspage/v1/component';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import {
  connectNats,
  createRemoteTokenVerifier,
  createTokenSource,
  createTransport,
  type Runtime,
  startRpcServer,
  type TokenVerifier,
  untilItWorks,
} from '@tocsin/runtime';
import type { Deps, Dns, Monitors } from './app/ports.ts';
import { monitorServiceMonitors } from './clients/monitor-service.ts';
import { systemDns } from './clients/system-dns.ts';
import type { StatusPageConfig } from './config.ts';
import { onDisruption } from './consumers/on-disruption.ts';
import { onMonitorDeleted } from './consumers/on-monitor-deleted.ts';
import { componentRpc } from './rpc/component-rpc.ts';
import { statusPageRpc } from './rpc/status-page-rpc.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/schema.ts';
import { statusPageWeb } from './web/status-page-web.ts';

/** What tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly monitors?: Monitors;
  readonly dns?: Dns;
  readonly verifier?: TokenVerifier;
}

/** Composes the service and starts it. Answers when it serves; disposing drains it. */
export async function createService(
  config: StatusPageConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<AsyncDisposable & { rpcPort: number }> {
  await using stack = new AsyncDisposableStack();
  const { databaseUrl, identityUrl, serviceSecret } = config;

  const database = stack.use(
    await untilItWorks('the database', runtime, () => openDatabase({ url: databaseUrl, entities, migrations })),
  );
  runtime.readiness.add('database', () => database.ping());
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;

  const tokens = createTokenSource({ service: 'statuspage', secret: serviceSecret, identityUrl });
  const monitors =
    overrides.monitors ??
    monitorServiceMonitors(createTransport({ url: config.monitorUrl, service: 'monitor', tokens }));
  const { baseUrl, statusDomain } = config;
  const deps: Deps = {
    database,
    monitors,
    dns: overrides.dns ?? systemDns(),
    address: { baseUrl, statusDomain },
    now: overrides.now ?? (() => new Date()),
  };

  stack.use(startRelay({ databaseUrl, nats, runtime }));
  const hearing = { database, nats, runtime };
  stack.use(
    await startConsumer({
      ...hearing,
      name: 'statuspage-from-disruption',
      source: 'tocsin.disruption.v1',
      handlers: onDisruption,
    }),
  );
  stack.use(
    await startConsumer({
      ...hearing,
      name: 'statuspage-from-monitor',
      source: 'tocsin.monitor.v1',
      handlers: [onMonitorDeleted],
    }),
  );

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      verifier: overrides.verifier ?? createRemoteTokenVerifier(identityUrl),
      services: [StatusPageService, ComponentService],
      routes(router) {
        router.service(StatusPageService, statusPageRpc(deps));
        router.service(ComponentService, componentRpc(deps));
      },
      web: statusPageWeb(deps, runtime.logger),
    }),
  );
  const started = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
