import { fromBinary } from '@bufbuild/protobuf';
import type { NatsConnection } from '@nats-io/transport-node';
import { openDatabase } from '@tocsin/database';
import { CredentialRevokedSchema } from '@tocsin/proto/identity/v1/events';
import { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { HeartbeatService } from '@tocsin/proto/monitor/v1/heartbeat';
import {
  connectNats,
  createRpcClient,
  createTokenSource,
  createTransport,
  type Runtime,
  startLoop,
  untilItWorks,
} from '@tocsin/runtime';
import { startRewrapping } from '@tocsin/service';
import { createVault } from '@tocsin/vault';
import { createApp } from './app.ts';
import { type Credentials, remoteCredentials } from './clients/credentials.ts';
import { gatherHeartbeats } from './clients/heartbeats.ts';
import { connectServices, type Services } from './clients/services.ts';
import { remoteUsage } from './clients/usage.ts';
import type { GatewayConfig } from './config.ts';
import { isPageHost } from './pages/is-page-host.ts';
import { startPages } from './pages/start-pages.ts';
import { AddressWindows } from './plugins/address-windows.ts';
import { addIdentityPages } from './routes/identity-page-proxy.ts';
import { addOutagePages } from './routes/outage-page-proxy.ts';
import { KEPT_HOURS, SEALED_RESPONSES, sharedIdempotentResponses } from './storage/idempotent-responses.ts';
import { migrations } from './storage/migrations.ts';
import { DAY_SECONDS, sharedRateWindows } from './storage/rate-windows.ts';

/** Parts that tests replace. */
export interface Overrides {
  readonly credentials?: Credentials;
  readonly services?: Services;
}

const FORGET_EVERY_MS = 5 * 60_000;

/**
 * Composes the gateway and starts it. Resolves when it serves requests. Disposing waits until running requests have
 * ended.
 */
export async function createService(
  config: GatewayConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<AsyncDisposable & { port: number }> {
  await using stack = new AsyncDisposableStack();
  const { identityUrl, serviceSecret: secret } = config;
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;
  const tokens = createTokenSource({ service: 'gateway', secret, identityUrl });
  const identity = createRpcClient(IdentityService, createTransport({ url: identityUrl, service: 'identity', tokens }));
  const credentials = overrides.credentials ?? remoteCredentials(identity);
  dropRevoked(nats, credentials);

  const { databaseUrl: url, expectMigrated, vaultKeys } = config;
  const database = stack.use(
    await untilItWorks('the database', runtime, () => openDatabase({ url, entities: [], migrations, expectMigrated })),
  );
  runtime.readiness.add('database', () => database.ping());
  const windows = sharedRateWindows(database);
  const vault = createVault(vaultKeys);
  const responses = sharedIdempotentResponses(database, vault);
  stack.use(startRewrapping({ database, vault, runtime, columns: [SEALED_RESPONSES] }));
  stack.use(
    startLoop('forgetting', FORGET_EVERY_MS, runtime, async () => {
      const now = Date.now();
      await windows.deleteMinutesBefore(new Date(now - FORGET_EVERY_MS));
      await windows.deleteDaysBefore(new Date(now - DAY_SECONDS * 1000));
      await responses.deleteBefore(new Date(now - KEPT_HOURS * 3_600_000));
      return 'done';
    }),
  );

  const services = overrides.services ?? connectServices(config);
  const countUsage = remoteUsage(config, tokens, runtime.logger);
  const monitor = createTransport({ url: config.monitorUrl, service: 'monitor', tokens });
  const heartbeats = gatherHeartbeats(createRpcClient(HeartbeatService, monitor));
  const pages = stack.use(startPages(config, runtime, nats));
  const app = await createApp(config, runtime, {
    credentials,
    services,
    heartbeats,
    windows,
    responses,
    countUsage,
    pages,
  });
  stack.use(await addOutagePages(app, config.notifierUrl));
  stack.use(
    await addIdentityPages(app, {
      identityUrl,
      oauthLimits: {
        requests: new AddressWindows(config.oauthPerMinute),
        attempts: new AddressWindows(config.oauthAttemptsPerMinute),
      },
      isPageHost: (host) => isPageHost(pages.cache, host, config.baseUrl),
    }),
  );
  await app.listen({ host: config.host, port: config.port });
  stack.defer(() => app.close());
  const address = app.server.address();
  const started = stack.move();
  return {
    port: typeof address === 'object' && address ? address.port : config.port,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/**
 * Drops revoked credentials from the cache. Subscribes without a JetStream consumer, because every replica must receive
 * this event.
 */
function dropRevoked(nats: NatsConnection, credentials: Credentials): void {
  nats.subscribe(`event.${CredentialRevokedSchema.typeName}`, {
    callback(error, message) {
      if (!error) credentials.drop(fromBinary(CredentialRevokedSchema, message.data).credentialId);
    },
  });
}
