import { openDatabase } from '@tocsin/database';
import { createNetguard } from '@tocsin/netguard';
import { startConsumer, startRelay } from '@tocsin/outbox';
import { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { SubscriptionService } from '@tocsin/proto/notifier/v1/subscription';
import {
  connectNats,
  createRemoteTokenVerifier,
  type Runtime,
  startLoop,
  startRpcServer,
  type TokenVerifier,
  untilItWorks,
} from '@tocsin/runtime';
import { createVault } from '@tocsin/vault';
import { deleteOldDeliveries } from './app/delete-old-deliveries.ts';
import { startDeliveryWorkers } from './app/delivery-workers.ts';
import type { Deps } from './app/ports.ts';
import { problemOfTargetUrl } from './channels/check-target-url.ts';
import { slack } from './channels/slack/slack.ts';
import { messagePoster } from './channels/subscription.ts';
import { webhook } from './channels/webhook/webhook.ts';
import type { NotifierConfig } from './config.ts';
import { onDisruption } from './events/on-disruption.ts';
import { onMonitorChanged } from './events/on-monitor-changed.ts';
import { onMonitorStateChanged } from './events/on-monitor-state-changed.ts';
import { createMeters, watchPending } from './metrics.ts';
import { channelRpc } from './rpc/channel-rpc.ts';
import { subscriptionRpc } from './rpc/subscription-rpc.ts';
import { countPending } from './storage/delivery-store.ts';
import { listenForWakes } from './storage/listen-for-wakes.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/schema.ts';

/** What tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly random?: () => number;
  readonly verifier?: TokenVerifier;
}

export interface NotifierServer extends AsyncDisposable {
  readonly rpcPort: number;
}

const CLEAN_EVERY_MS = 3_600_000;

/** Starts notifier; waits for its database and for NATS. Disposing lets running calls, facts and attempts finish. */
export async function createService(
  config: NotifierConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<NotifierServer> {
  await using stack = new AsyncDisposableStack();
  const { databaseUrl, slackUrl, baseUrl, retryBaseMs, subscriptionWaitsMs } = config;
  const { now = () => new Date(), random = Math.random } = overrides;

  const database = stack.use(
    await untilItWorks('the database', runtime, () =>
      openDatabase({ url: databaseUrl, entities, migrations, poolSize: 16 }),
    ),
  );
  runtime.readiness.add('database', () => database.ping());
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;

  const guard = createNetguard({ allow: config.allowedTargets });
  const kinds = [
    webhook({ guard, now }),
    slack({ guard, apiGuard: createNetguard({ allow: 'all' }), apiUrl: slackUrl }),
  ];
  const vault = createVault(config.vaultKeys);
  const { logger } = runtime;
  const meters = createMeters(runtime);
  const deps: Deps = {
    ...{ database, vault, now, random, kinds, meters, logger, baseUrl, retryBaseMs, subscriptionWaitsMs },
    postMessage: messagePoster({ guard, now }),
    problemOfUrl: (url) => problemOfTargetUrl(url, guard),
  };
  watchPending(runtime, () => database.transaction('every organization', countPending));

  stack.use(startRelay({ databaseUrl, nats, runtime }));
  const workers = stack.use(startDeliveryWorkers(deps));
  stack.use(listenForWakes(databaseUrl, runtime, workers.wake));
  stack.use(
    await startConsumer({
      name: 'notifier-from-monitor',
      source: 'tocsin.monitor.v1',
      handlers: [onMonitorStateChanged(deps), ...onMonitorChanged(deps)],
      database,
      nats,
      runtime,
    }),
  );
  stack.use(
    await startConsumer({
      name: 'notifier-from-disruption',
      source: 'tocsin.disruption.v1',
      handlers: onDisruption(deps),
      database,
      nats,
      runtime,
    }),
  );
  stack.use(startLoop('deleting old deliveries', CLEAN_EVERY_MS, runtime, () => deleteOldDeliveries(deps)));

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      verifier: overrides.verifier ?? createRemoteTokenVerifier(config.identityUrl),
      services: [ChannelService, SubscriptionService],
      routes: (router) =>
        router.service(ChannelService, channelRpc(deps)).service(SubscriptionService, subscriptionRpc(deps)),
    }),
  );

  const running = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
