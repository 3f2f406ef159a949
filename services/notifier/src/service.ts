import { openDatabase } from '@tocsin/database';
import { createNetguard } from '@tocsin/netguard';
import { startConsumer, startRelay } from '@tocsin/outbox';
import { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { SubscriptionService } from '@tocsin/proto/notifier/v1/subscription';
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
import { createVault } from '@tocsin/vault';
import { addressOwnerMails } from './app/address-owner-mails.ts';
import { deleteOldDeliveries } from './app/delete-old-deliveries.ts';
import { startDeliveryWorkers } from './app/delivery-workers.ts';
import type { Deps, Owners, StatusPages } from './app/ports.ts';
import { writeDigests } from './app/write-digests.ts';
import { problemOfTargetUrl } from './channels/check-target-url.ts';
import { email } from './channels/email/email.ts';
import { postedKinds } from './channels/kinds.ts';
import { messagePoster } from './channels/subscription.ts';
import { identityOwners } from './clients/identity-owners.ts';
import { createMailer } from './clients/smtp.ts';
import { statuspagePages } from './clients/statuspage-pages.ts';
import type { NotifierConfig } from './config.ts';
import { onCertificateExpiring } from './consumers/on-certificate-expiring.ts';
import { onDisruption } from './consumers/on-disruption.ts';
import { onMonitorAlertDue } from './consumers/on-monitor-alert-due.ts';
import { onMonitorChanged } from './consumers/on-monitor-changed.ts';
import { onMonitorDisabling } from './consumers/on-monitor-disabling.ts';
import { onMonitorStateChanged } from './consumers/on-monitor-state-changed.ts';
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
  readonly owners?: Owners;
  readonly statusPages?: StatusPages;
  /** How often it is looked whether a digest is due. */
  readonly digestEveryMs?: number;
}

export interface NotifierServer extends AsyncDisposable {
  readonly rpcPort: number;
}

const CLEAN_EVERY_MS = 3_600_000;
const ADDRESS_EVERY_MS = 1_000;
const DIGEST_EVERY_MS = 60_000;

/** Starts notifier; waits for its database and for NATS. Disposing lets running calls, facts and attempts finish. */
export async function createService(
  config: NotifierConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<NotifierServer> {
  await using stack = new AsyncDisposableStack();
  const { databaseUrl, apiUrls, baseUrl, retryBaseMs, subscriptionWaitsMs } = config;
  const { now = () => new Date(), random = Math.random } = overrides;

  const database = stack.use(
    await untilItWorks('the database', runtime, () =>
      openDatabase({ url: databaseUrl, entities, migrations, poolSize: 16 }),
    ),
  );
  runtime.readiness.add('database', () => database.ping());
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;

  const guard = createNetguard({ allow: config.allowedTargets });
  const mailer = stack.use(createMailer({ url: config.smtpUrl, from: config.mailFrom, logger: runtime.logger }));
  const sendMail = mailer.send;
  const posted = postedKinds({ guard, apiGuard: createNetguard({ allow: 'all' }), apiUrls, now });
  const kinds = [...posted, email({ sendMail })];
  const vault = createVault(config.vaultKeys);
  const { logger } = runtime;
  const meters = createMeters(runtime);
  const { identityUrl, statuspageUrl, serviceSecret: secret } = config;
  const tokens = createTokenSource({ service: 'notifier', secret, identityUrl });
  const deps: Deps = {
    ...{ database, vault, now, random, kinds, meters, logger, baseUrl, retryBaseMs, subscriptionWaitsMs, sendMail },
    owners: overrides.owners ?? identityOwners(createTransport({ url: identityUrl, service: 'identity', tokens })),
    statusPages:
      overrides.statusPages ??
      statuspagePages(createTransport({ url: statuspageUrl, service: 'statuspage', tokens }), logger),
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
      handlers: [
        onMonitorStateChanged(deps),
        onMonitorAlertDue(deps),
        onCertificateExpiring(deps),
        ...onMonitorDisabling(deps),
        ...onMonitorChanged(deps),
      ],
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
  stack.use(startLoop('asking who owns organizations', ADDRESS_EVERY_MS, runtime, () => addressOwnerMails(deps)));
  const { digestEveryMs = DIGEST_EVERY_MS } = overrides;
  stack.use(startLoop('writing weekly digests', digestEveryMs, runtime, () => writeDigests(deps)));
  stack.use(startLoop('deleting old deliveries', CLEAN_EVERY_MS, runtime, () => deleteOldDeliveries(deps)));

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      verifier: overrides.verifier ?? createRemoteTokenVerifier(identityUrl),
      services: [ChannelService, SubscriptionService],
      routes: (router) =>
        router.service(ChannelService, channelRpc(deps)).service(SubscriptionService, subscriptionRpc(deps)),
    }),
  );

  const running = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
