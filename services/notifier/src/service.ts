import { setTimeout as delay } from 'node:timers/promises';
import {
  askNameServers,
  createConnectivityGuard,
  createNetguard,
  type Netguard,
  type Reference,
  reachAny,
} from '@tocsin/netguard';
import { COMPONENT_EVENTS } from '@tocsin/proto/component-events';
import { AccountMailService } from '@tocsin/proto/notifier/v1/account_mail';
import { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { SubscriberService } from '@tocsin/proto/notifier/v1/subscriber';
import { SubscriptionService } from '@tocsin/proto/notifier/v1/subscription';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import type { Runtime, TokenVerifier } from '@tocsin/runtime';
import { type RunningService, startService } from '@tocsin/service';
import { createVault } from '@tocsin/vault';
import { addressOwnerMails } from './app/address-owner-mails.ts';
import { sendConfirmations } from './app/ask-recipients.ts';
import { askSubscribers } from './app/ask-subscribers.ts';
import { deleteUnusedRecipients } from './app/channel-recipients.ts';
import { deleteOldDeliveries } from './app/delete-old-deliveries.ts';
import { startDeliveryWorkers } from './app/delivery-workers.ts';
import { FullSubscriptions } from './app/full-subscriptions.ts';
import { createMailLinks } from './app/mail-links.ts';
import { createMailRecipients } from './app/mail-recipients.ts';
import { createOutageLinks } from './app/outage-links.ts';
import type {
  Connectivity,
  Deps,
  Disruptions,
  Maintenance,
  Organizations,
  Owners,
  Rounds,
  StatusPages,
} from './app/ports.ts';
import { probeChannels } from './app/probe-channels.ts';
import { createRecordingSlots } from './app/record-in-turn.ts';
import { runOutageTimers } from './app/run-outage-timers.ts';
import { sendStorms } from './app/send-storms.ts';
import { createLinkSigner } from './app/signed-links.ts';
import { createSubscriberLinks } from './app/subscriber-links.ts';
import { sumUp } from './app/sum-up.ts';
import { writeDigests } from './app/write-digests.ts';
import { problemOfTargetUrl } from './channels/check-target-url.ts';
import { email } from './channels/email/email.ts';
import { postedKinds } from './channels/kinds.ts';
import { messagePoster } from './channels/subscription.ts';
import { disruptionAcknowledgements } from './clients/disruption-acknowledgements.ts';
import { identityOrganizations, identityOwners } from './clients/identity-owners.ts';
import { monitorMaintenance } from './clients/monitor-maintenance.ts';
import { monitorRounds } from './clients/monitor-rounds.ts';
import { createMailer } from './clients/smtp.ts';
import { statuspagePages } from './clients/statuspage-pages.ts';
import type { NotifierConfig } from './config.ts';
import { onCertificateExpiring, onCertificateRenewed } from './consumers/on-certificate-expiring.ts';
import { onDisruption } from './consumers/on-disruption.ts';
import { onMonitorAlertDue } from './consumers/on-monitor-alert-due.ts';
import { onMonitorChanged } from './consumers/on-monitor-changed.ts';
import { onMonitorDisabling } from './consumers/on-monitor-disabling.ts';
import { onMonitorStateChanged } from './consumers/on-monitor-state-changed.ts';
import { onPage } from './consumers/on-page.ts';
import { createMeters, watchPending } from './metrics.ts';
import { accountMailRpc } from './rpc/account-mail-rpc.ts';
import { channelRpc } from './rpc/channel-rpc.ts';
import { subscriberRpc } from './rpc/subscriber-rpc.ts';
import { subscriptionRpc } from './rpc/subscription-rpc.ts';
import { usageRpc } from './rpc/usage-rpc.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';
import { DELIVERY_DUE } from './storage/claim-deliveries.ts';
import { countPending } from './storage/delivery-store.ts';
import { EXPORTED } from './storage/exported-columns.ts';
import { HELD_BACK_DUE } from './storage/hold-store.ts';
import { listenForWakes } from './storage/listen-for-wakes.ts';
import { RECIPIENT_ASK_DUE } from './storage/mail-recipient-store.ts';
import { migrations } from './storage/migrations/index.ts';
import { OWNER_MAIL_DUE } from './storage/owner-mail-store.ts';
import { PROBE_DUE } from './storage/probe-store.ts';
import { entities } from './storage/schema.ts';
import { resumeRecipients, stopRecipients } from './storage/stopped-recipient-store.ts';
import { STORM_DUE } from './storage/storm-store.ts';
import { SUBSCRIBER_ASK_DUE } from './storage/subscriber-store.ts';
import { TIMER_DUE } from './storage/timer-store.ts';
import { publicWeb } from './web/public-web.ts';

/** Dependencies and intervals that tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly random?: () => number;
  readonly verifier?: TokenVerifier;
  readonly owners?: Owners;
  readonly organizations?: Organizations;
  readonly statusPages?: StatusPages;
  readonly rounds?: Rounds;
  readonly maintenance?: Maintenance;
  readonly disruptions?: Disruptions;
  /** Interval at which due digests are inserted, in milliseconds. */
  readonly digestEveryMs?: number;
  /** Interval at which broken channels with a due probe are probed, in milliseconds. */
  readonly probeEveryMs?: number;
  readonly connectivity?: Connectivity;
}

const CLEAN_EVERY_MS = 3_600_000;
/** Interval at which due deliveries are found that no wakeup announced, such as the retries of a crashed replica. */
const DELIVER_EVERY_MS = 1_000;
const ADDRESS_EVERY_MS = 3_000;
const ASK_EVERY_MS = 3_000;
const DIGEST_EVERY_MS = 60_000;
const PROBE_EVERY_MS = 5_000;
const STORMS_EVERY_MS = 1_000;
const HELD_BACK_EVERY_MS = 3_000;
const TIMERS_EVERY_MS = 3_000;
/**
 * Maximum numbers of connections to the SMTP server: for emails of organizations, for emails about accounts, and for
 * emails to subscribers of status pages. None of these wait for each other.
 */
const MAIL_CONNECTIONS = { organizations: 5, accounts: 2, subscribers: 4 };
/** Pause between two checks of the installation's own network connection, in milliseconds. */
const REFERENCES_EVERY_MS = 1_000;

/** Starts the notifier, and waits for its database and NATS. Disposing waits for running calls, events and attempts. */
export function createService(
  config: NotifierConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<RunningService> {
  const { random = Math.random, digestEveryMs = DIGEST_EVERY_MS, verifier } = overrides;
  const { probeEveryMs = PROBE_EVERY_MS } = overrides;
  const { databaseUrl, apiUrls, baseUrl, retryBaseMs, subscriptionWaitsMs } = config;
  const { logger } = runtime;

  return startService(
    { config, runtime, entities, migrations, verifier, now: overrides.now },
    ({ database, stack, transportTo, now }) => {
      const resolve = askNameServers({ servers: config.nameServers });
      const guard = createNetguard({ allow: config.allowedTargets, closedPorts: config.closedPorts, resolve });
      const openMailer = (connections: number) => {
        const { signal } = runtime;
        return stack.use(createMailer({ url: config.smtpUrl, from: config.mailFrom, logger, connections, signal }));
      };
      const { send: sendMail, unavailable } = openMailer(MAIL_CONNECTIONS.organizations);
      const posted = postedKinds({ guard, apiGuard: createNetguard({ allow: 'all' }), apiUrls, now });
      const vault = createVault(config.vaultKeys);
      const signer = createLinkSigner({ database, vault });
      const mailLinks = createMailLinks(signer, baseUrl);
      const mailRecipients = createMailRecipients({ database, vault, now, logger, links: mailLinks });
      const identity = transportTo('identity', config.identityUrl);
      const organizations = overrides.organizations ?? identityOrganizations(identity, logger);
      const deps: Deps = {
        database,
        recordingSlots: createRecordingSlots(),
        vault,
        now,
        random,
        kinds: [...Object.values(posted), email({ sendMail, mailRecipients, organizations, unavailable })],
        meters: createMeters(runtime),
        logger,
        baseUrl,
        retryBaseMs,
        stormMonitors: config.stormMonitors,
        calmChanges: config.calmChanges,
        maxMessagesPerHour: config.maxMessagesPerHour,
        subscriptionWaitsMs,
        fullSubscriptions: new FullSubscriptions(),
        sendMail,
        sendUserMail: openMailer(MAIL_CONNECTIONS.accounts).send,
        sendSubscriberMail: openMailer(MAIL_CONNECTIONS.subscribers).send,
        subscriberLinks: createSubscriberLinks(signer, baseUrl),
        owners: overrides.owners ?? identityOwners(identity),
        organizations,
        mailRecipients,
        statusPages: overrides.statusPages ?? statuspagePages(transportTo('statuspage', config.statuspageUrl), logger),
        outageLinks: createOutageLinks(signer, baseUrl),
        rounds: overrides.rounds ?? monitorRounds(transportTo('monitor', config.monitorUrl), logger),
        maintenance: overrides.maintenance ?? monitorMaintenance(transportTo('monitor', config.monitorUrl), logger),
        disruptions:
          overrides.disruptions ?? disruptionAcknowledgements(transportTo('disruption', config.disruptionUrl), logger),
        connectivity:
          overrides.connectivity ??
          connectivityOf(config.references, createNetguard({ allow: 'all', resolve }), runtime),
        postMessage: messagePoster({ guard, now }),
        problemOfUrl: (url) => problemOfTargetUrl(url, guard),
      };
      watchPending(runtime, () => database.transaction('every organization', countPending));
      const workers = stack.use(startDeliveryWorkers(deps));
      stack.use(listenForWakes(databaseUrl, runtime, workers.wake));

      const fromMonitor = [
        onMonitorStateChanged(deps),
        onMonitorAlertDue(deps),
        onCertificateExpiring(deps),
        onCertificateRenewed(deps),
        ...onMonitorDisabling(deps),
        ...onMonitorChanged(deps),
      ];
      return {
        consumers: [
          { name: 'notifier-from-monitor', source: 'tocsin.monitor.v1', handlers: fromMonitor },
          { name: 'notifier-from-disruption', source: 'tocsin.disruption.v1', handlers: onDisruption(deps) },
          {
            name: 'notifier-from-statuspage',
            source: 'tocsin.statuspage.v1',
            handlers: onPage(deps),
            ignored: COMPONENT_EVENTS,
          },
        ],
        loops: [
          {
            name: 'delivering',
            everyMs: DELIVER_EVERY_MS,
            dueSql: DELIVERY_DUE,
            async run() {
              workers.wake();
              return 'done';
            },
          },
          {
            name: 'addressing mails to owners',
            everyMs: ADDRESS_EVERY_MS,
            dueSql: OWNER_MAIL_DUE,
            run: () => addressOwnerMails(deps),
          },
          {
            name: 'asking recipients to confirm',
            everyMs: ASK_EVERY_MS,
            dueSql: RECIPIENT_ASK_DUE,
            run: () => sendConfirmations({ ...deps, mailLinks }),
          },
          {
            name: 'deleting unused mail recipients',
            everyMs: CLEAN_EVERY_MS,
            run: () => deleteUnusedRecipients(deps),
          },
          {
            name: 'asking subscribers to confirm',
            everyMs: ASK_EVERY_MS,
            dueSql: SUBSCRIBER_ASK_DUE,
            run: () => askSubscribers(deps),
          },
          { name: 'writing weekly digests', everyMs: digestEveryMs, run: () => writeDigests(deps) },
          {
            name: 'probing broken channels',
            everyMs: probeEveryMs,
            dueSql: PROBE_DUE,
            run: () => probeChannels(deps),
          },
          {
            name: 'sending messages of storms',
            everyMs: STORMS_EVERY_MS,
            dueSql: STORM_DUE,
            run: () => sendStorms(deps),
          },
          {
            name: 'sending what was held back',
            everyMs: HELD_BACK_EVERY_MS,
            dueSql: HELD_BACK_DUE,
            run: () => sumUp(deps),
          },
          {
            name: 'following lasting outages',
            everyMs: TIMERS_EVERY_MS,
            dueSql: TIMER_DUE,
            run: () => runOutageTimers(deps),
          },
          { name: 'deleting old deliveries', everyMs: CLEAN_EVERY_MS, run: () => deleteOldDeliveries(deps) },
        ],
        organizations: {
          stop: (tx, organizationId) => stopRecipients(tx, organizationId, now()),
          resume: resumeRecipients,
        },
        sealed: { vault, keysFile: config.vaultKeysFile, columns: SEALED_COLUMNS },
        aggregates: ['channel', 'subscription'],
        exported: EXPORTED,
        services: [AccountMailService, ChannelService, SubscriberService, SubscriptionService, UsageService],
        routes: (router) =>
          router
            .service(AccountMailService, accountMailRpc(deps))
            .service(ChannelService, channelRpc(deps))
            .service(SubscriberService, subscriberRpc(deps))
            .service(SubscriptionService, subscriptionRpc(deps))
            .service(UsageService, usageRpc(deps)),
        web: publicWeb({ ...deps, mailLinks }, logger),
      };
    },
  );
}

/**
 * Returns a guard that checks the installation's own network connection. For this, it connects to the references, which
 * are servers that are always reachable. Without references, every failed delivery counts against its receiver. `guard`
 * resolves names as for receivers, so that an outage of the name servers is noticed.
 */
function connectivityOf(references: readonly Reference[], guard: Netguard, { logger }: Runtime): Connectivity {
  if (references.length === 0) return { confirmFailure: async () => true, recordResponse: () => undefined };
  return createConnectivityGuard({
    reachReferences: () => reachAny(guard, references),
    pause: () => delay(REFERENCES_EVERY_MS, undefined, { ref: false }),
    onChange(connected) {
      if (connected) logger.info('connectivity reference reachable again');
      else logger.error('no connectivity reference reachable: failed deliveries do not count against their receivers');
    },
  });
}
