import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import type { NatsConnection } from '@nats-io/transport-node';
import { CredentialRevokedSchema } from '@tocsin/proto/identity/v1/events';
import { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { HeartbeatService } from '@tocsin/proto/monitor/v1/heartbeat';
import {
  connectNats,
  createRpcClient,
  createTokenSource,
  createTransport,
  openTls,
  type Runtime,
  startLoop,
} from '@tocsin/runtime';
import { openServiceDatabase, startRewrapping } from '@tocsin/service';
import { createVault } from '@tocsin/vault';
import { createApp } from './app.ts';
import { type Credentials, remoteCredentials } from './clients/credentials.ts';
import { gatherHeartbeats } from './clients/heartbeats.ts';
import { remotePageSubscribers } from './clients/page-subscribers.ts';
import { connectServices, type Services } from './clients/services.ts';
import { remoteUsage } from './clients/usage.ts';
import type { GatewayConfig } from './config.ts';
import { isPageHost } from './pages/is-page-host.ts';
import { startPages } from './pages/start-pages.ts';
import { AddressWindows } from './plugins/address-windows.ts';
import { addIdentityPages } from './routes/identity-page-proxy.ts';
import { addOutagePages } from './routes/outage-page-proxy.ts';
import { addSubscriptions, SUBSCRIPTIONS_PER_MINUTE } from './routes/subscribe.ts';
import { KEPT_HOURS, SEALED_RESPONSES, sharedIdempotentResponses } from './storage/idempotent-responses.ts';
import { migrations } from './storage/migrations.ts';
import { DAY_SECONDS, sharedRateWindows } from './storage/rate-windows.ts';

/** Dependencies that tests replace. */
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
  const tls = await openTls({ folder: config.tlsFolder, runtime });
  if (tls) stack.use(tls);
  const tokens = createTokenSource({ service: 'gateway', secret, identityUrl, tls });
  const toIdentity = createTransport({ url: identityUrl, service: 'identity', tokens, tls });
  const identity = createRpcClient(IdentityService, toIdentity);
  const credentials = overrides.credentials ?? remoteCredentials(identity);
  dropRevoked(nats, credentials);

  const database = stack.use(await openServiceDatabase(config, runtime, { entities: [], migrations }));
  const windows = sharedRateWindows(database);
  const vault = createVault(config.vaultKeys);
  const responses = sharedIdempotentResponses(database, vault);
  const { vaultKeysFile: keysFile } = config;
  stack.use(startRewrapping({ database, vault, keysFile, runtime, columns: [SEALED_RESPONSES] }));
  stack.use(
    startLoop('forgetting', FORGET_EVERY_MS, runtime, async () => {
      const now = Date.now();
      await windows.deleteMinutesBefore(new Date(now - FORGET_EVERY_MS));
      await windows.deleteDaysBefore(new Date(now - DAY_SECONDS * 1000));
      await responses.deleteBefore(new Date(now - KEPT_HOURS * 3_600_000));
      return 'done';
    }),
  );

  const services = overrides.services ?? connectServices(config, tls);
  const countUsage = remoteUsage(config, tokens, runtime.logger, tls);
  const monitor = createTransport({ url: config.monitorUrl, service: 'monitor', tokens, tls });
  const heartbeats = gatherHeartbeats(createRpcClient(HeartbeatService, monitor));
  const pages = stack.use(startPages(config, runtime, nats, tls));
  const app = await createApp(config, runtime, {
    credentials,
    services,
    heartbeats,
    windows,
    responses,
    countUsage,
    pages,
  });
  stack.use(await addOutagePages(app, config.notifierUrl, tls));
  const subscribers = remotePageSubscribers(config, tokens, tls);
  await addSubscriptions(app, subscribers, new AddressWindows(SUBSCRIPTIONS_PER_MINUTE));
  stack.use(
    await addIdentityPages(app, {
      identityUrl,
      tls,
      oauthLimits: {
        requests: new AddressWindows(config.oauthPerMinute),
        attempts: new AddressWindows(config.oauthAttemptsPerMinute),
      },
      isPageHost: (host) => isPageHost(pages.cache, host, config.baseUrl),
    }),
  );
  await app.listen({ host: config.host, port: config.port });
  stack.defer(async () => {
    await sleep(config.lingerMs);
    await app.close();
  });
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
