import { openDatabase } from '@tocsin/database';
import { startConsumer, startRelay } from '@tocsin/outbox';
import { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import {
  connectNats,
  createRemoteTokenVerifier,
  createTokenSource,
  createTransport,
  type Runtime,
  startLoop,
  startRpcServer,
  type TokenVerifier,
  untilItWorks,
} from '@tocsin/runtime';
import { advanceMaintenances } from './app/advance-maintenances.ts';
import type { Components, Deps } from './app/ports.ts';
import { releaseHeldDowns } from './app/release-held-downs.ts';
import { statuspageComponents } from './clients/statuspage-components.ts';
import type { DisruptionConfig } from './config.ts';
import { onMonitorDeleted } from './consumers/on-monitor-deleted.ts';
import { onMonitorStateChanged } from './consumers/on-monitor-state-changed.ts';
import { onMonitorUpdated } from './consumers/on-monitor-updated.ts';
import { disruptionRpc } from './rpc/disruption-rpc.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/schema.ts';

/** How long a maintenance may wait after its time, and a held down after the end of maintenance. */
const LOOK_EVERY_MS = 1_000;

/** What tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly components?: Components;
  readonly verifier?: TokenVerifier;
}

export interface DisruptionServer extends AsyncDisposable {
  readonly rpcPort: number;
}

/** Starts disruption; waits for its database and for NATS. Disposing lets running calls and events finish. */
export async function createService(
  config: DisruptionConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<DisruptionServer> {
  await using stack = new AsyncDisposableStack();
  const { databaseUrl, identityUrl, serviceSecret: secret } = config;

  const database = stack.use(
    await untilItWorks('the database', runtime, () => openDatabase({ url: databaseUrl, entities, migrations })),
  );
  runtime.readiness.add('database', () => database.ping());
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;

  const tokens = createTokenSource({ service: 'disruption', secret, identityUrl });
  const deps: Deps = {
    database,
    components:
      overrides.components ??
      statuspageComponents(createTransport({ url: config.statuspageUrl, service: 'statuspage', tokens })),
    senderAddress: config.senderAddress,
    now: overrides.now ?? (() => new Date()),
  };

  stack.use(startRelay({ databaseUrl, nats, runtime }));
  stack.use(
    await startConsumer({
      name: 'disruption-from-monitor',
      source: 'tocsin.monitor.v1',
      handlers: [onMonitorStateChanged(deps), onMonitorUpdated(deps), onMonitorDeleted(deps)],
      database,
      nats,
      runtime,
    }),
  );
  stack.use(startLoop('keeping maintenance to its times', LOOK_EVERY_MS, runtime, () => advanceMaintenances(deps)));
  stack.use(startLoop('releasing held downs', LOOK_EVERY_MS, runtime, () => releaseHeldDowns(deps)));

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      verifier: overrides.verifier ?? createRemoteTokenVerifier(identityUrl),
      services: [DisruptionService],
      routes: (router) => router.service(DisruptionService, disruptionRpc(deps)),
    }),
  );

  const running = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
