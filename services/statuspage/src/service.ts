import { askNameServers, createNetguard } from '@tocsin/netguard';
import { ComponentService } from '@tocsin/proto/statuspage/v1/component';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import type { Runtime, TokenVerifier } from '@tocsin/runtime';
import { type RunningService, startService } from '@tocsin/service';
import { announceDue } from './app/announce.ts';
import { LastRoundsReader } from './app/last-rounds.ts';
import { fetchDueLogos } from './app/logos.ts';
import type { Deps, Dns, LogoSource, Monitors, SnapshotStore } from './app/ports.ts';
import { recheckDomains } from './app/recheck-domains.ts';
import { maintainIntervals } from './app/record-statuses.ts';
import { pageHooks } from './app/stop-organization.ts';
import { watchFreshness } from './app/watch-freshness.ts';
import { snapshotWork } from './app/write-snapshots.ts';
import { guardedLogos } from './clients/guarded-logos.ts';
import { monitorServiceMonitors } from './clients/monitor-service.ts';
import { snapshotBucket } from './clients/snapshot-bucket.ts';
import { snapshotDirectory } from './clients/snapshot-directory.ts';
import { systemDns } from './clients/system-dns.ts';
import type { StatusPageConfig } from './config.ts';
import { followPageChanges } from './consumers/follow-page-changes.ts';
import { onDisruption } from './consumers/on-disruption.ts';
import { onMonitor } from './consumers/on-monitor.ts';
import { componentRpc } from './rpc/component-rpc.ts';
import { statusPageRpc } from './rpc/status-page-rpc.ts';
import { usageRpc } from './rpc/usage-rpc.ts';
import { ANNOUNCEMENT_DUE } from './storage/announcement-store.ts';
import { EXPORTED } from './storage/exported-columns.ts';
import { FRESHNESS_DUE } from './storage/freshness-store.ts';
import { LOGO_DUE } from './storage/logo-store.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/schema.ts';
import { writeNotice } from './web/notice.ts';
import { renderSnapshot } from './web/snapshot.ts';
import { statusPageWeb } from './web/status-page-web.ts';

const RECHECK_EVERY_MS = 60_000;
const FETCH_LOGOS_EVERY_MS = 2_000;
const WATCH_FRESHNESS_EVERY_MS = 5_000;
const ANNOUNCE_EVERY_MS = 3_000;
const MAINTAIN_INTERVALS_EVERY_MS = 3_600_000;

/** Parts that tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly monitors?: Monitors;
  readonly dns?: Dns;
  readonly logos?: LogoSource;
  readonly verifier?: TokenVerifier;
}

/**
 * Starts the statuspage service, and waits for its database and for NATS. Disposing waits for running calls and events.
 */
export function createService(
  config: StatusPageConfig,
  runtime: Runtime,
  { monitors, dns = systemDns(), logos = netguardLogos(config), verifier, ...overrides }: Overrides = {},
): Promise<RunningService> {
  return startService(
    { config, runtime, entities, migrations, verifier, ...overrides },
    ({ database, nats, transportTo, now }) => {
      const { baseUrl, statusDomain } = config;
      const ofMonitors = monitors ?? monitorServiceMonitors(transportTo('monitor', config.monitorUrl));
      const deps: Deps = {
        database,
        monitors: ofMonitors,
        lastRounds: new LastRoundsReader(ofMonitors, now),
        dns,
        address: { baseUrl, statusDomain },
        writeNotice,
        now,
      };
      const store = snapshotStore(config);
      const writeSnapshots =
        store &&
        snapshotWork(
          deps,
          {
            store,
            render: (slug) => renderSnapshot(deps, slug),
            follow: (writer) => followPageChanges(nats, writer),
          },
          runtime,
        );
      return {
        consumers: [
          { name: 'statuspage-from-disruption', source: 'tocsin.disruption.v1', handlers: onDisruption(deps) },
          { name: 'statuspage-from-monitor', source: 'tocsin.monitor.v1', handlers: onMonitor, afterAlerts: true },
        ],
        loops: [
          { name: 'verifying domains', everyMs: RECHECK_EVERY_MS, run: () => recheckDomains(deps, runtime.logger) },
          {
            name: 'fetching logos',
            everyMs: FETCH_LOGOS_EVERY_MS,
            dueSql: LOGO_DUE,
            run: () => fetchDueLogos({ ...deps, logos }),
          },
          {
            name: 'watching freshness',
            everyMs: WATCH_FRESHNESS_EVERY_MS,
            dueSql: FRESHNESS_DUE,
            run: () => watchFreshness(deps),
          },
          {
            name: 'announcing disruptions',
            everyMs: ANNOUNCE_EVERY_MS,
            dueSql: ANNOUNCEMENT_DUE,
            run: () => announceDue(deps),
          },
          { name: 'maintaining intervals', everyMs: MAINTAIN_INTERVALS_EVERY_MS, run: () => maintainIntervals(deps) },
          ...(writeSnapshots ? [{ name: 'writing snapshots', everyMs: 1_000, run: writeSnapshots }] : []),
        ],
        organizations: pageHooks(now),
        aggregates: ['status_page', 'component'],
        exported: EXPORTED,
        services: [StatusPageService, ComponentService, UsageService],
        routes: (router) =>
          router
            .service(StatusPageService, statusPageRpc(deps))
            .service(ComponentService, componentRpc(deps))
            .service(UsageService, usageRpc(deps)),
        web: statusPageWeb(deps, runtime.logger),
      };
    },
  );
}

function snapshotStore({ snapshots }: StatusPageConfig): SnapshotStore | undefined {
  if (!snapshots) return undefined;
  return 'bucket' in snapshots ? snapshotBucket(snapshots.bucket) : snapshotDirectory(snapshots.directory);
}

function netguardLogos({ allowedTargets, closedPorts, nameServers }: StatusPageConfig): LogoSource {
  const resolve = askNameServers({ servers: nameServers });
  return guardedLogos(createNetguard({ allow: allowedTargets, closedPorts, resolve }));
}
