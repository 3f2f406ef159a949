import type { NatsConnection } from '@nats-io/transport-node';
import { LONG_STATEMENTS } from '@tocsin/database';
import { EVENT_STREAM, startStreamMetrics } from '@tocsin/outbox';
import { COMPONENT_EVENTS } from '@tocsin/proto/component-events';
import { AdminService } from '@tocsin/proto/monitor/v1/admin';
import { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { HeartbeatService } from '@tocsin/proto/monitor/v1/heartbeat';
import { HistoryService } from '@tocsin/proto/monitor/v1/history';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import { type Runtime, type TokenVerifier, untilItWorks } from '@tocsin/runtime';
import { quietMsOf, type RunningService, startService } from '@tocsin/service';
import { createVault } from '@tocsin/vault';
import { ensureCheckStreams, JOB_STREAM, RESULT_STREAM } from '@tocsin/work-queue';
import { endLongDowns } from './app/auto-disable/watch-downs.ts';
import { DECIDE_EVERY_MS, decideDueHeartbeats, HEARTBEAT_DUE } from './app/heartbeats/decide-due-heartbeats.ts';
import { sealPlainTokens } from './app/heartbeats/heartbeat-token.ts';
import { deleteHistory } from './app/history/delete-history.ts';
import { ROLL_UP_DUE, rollUpResults } from './app/history/roll-up-results.ts';
import { monitorHooks } from './app/monitors/stop-organization.ts';
import type { AlertChannels, Components, Deps } from './app/ports.ts';
import { decideOverdue } from './app/rounds/decide-overdue.ts';
import { recordResults } from './app/rounds/record-results.ts';
import { CLAIM_LIMIT, startDueRounds } from './app/rounds/start-due-rounds.ts';
import { watchRegions } from './app/rounds/watch-regions.ts';
import { natsCheckers } from './clients/nats-checkers.ts';
import { natsRegions } from './clients/nats-regions.ts';
import { notifierChannels } from './clients/notifier-channels.ts';
import { statuspageComponents } from './clients/statuspage-components.ts';
import type { MonitorConfig } from './config.ts';
import { onChannelDeleted } from './consumers/on-channel-deleted.ts';
import { onChannelHealth } from './consumers/on-channel-health.ts';
import { startResultIntake } from './consumers/on-check-results.ts';
import { onDisruption } from './consumers/on-disruption.ts';
import { onPageUpdated } from './consumers/on-page-updated.ts';
import { type CheckResult, resultDelayMs } from './domain/rounds/check-result.ts';
import { ClaimProgress } from './domain/rounds/claim-progress.ts';
import { createMeters, type Meters } from './metrics.ts';
import { adminRpc } from './rpc/admin-rpc.ts';
import { checkConfigRpc } from './rpc/check-config-rpc.ts';
import { heartbeatRpc } from './rpc/heartbeat-rpc.ts';
import { historyRpc } from './rpc/history-rpc.ts';
import { monitorRpc } from './rpc/monitor-rpc.ts';
import { usageRpc } from './rpc/usage-rpc.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';
import { LONG_DOWN_DUE } from './storage/auto-disable/auto-disable-store.ts';
import { EXPORTED } from './storage/exported-columns.ts';
import { DELETION_DUE } from './storage/history/deleted-monitor-store.ts';
import { dropOldPartitions } from './storage/history/partitions.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/monitors/monitor-entity.ts';
import { SWEEP_DUE } from './storage/rounds/sweep-due.ts';

/** Dependencies that tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly channels?: AlertChannels;
  readonly components?: Components;
  readonly verifier?: TokenVerifier;
}

/**
 * Milliseconds between runs of the loop that opens due rounds. This is half of OPEN_AHEAD_MS, so that the jobs of a
 * round are sent before the round is due.
 */
const SCHEDULE_EVERY_MS = 500;
const SWEEP_EVERY_MS = 1_000;
const LONG_DOWNS_EVERY_MS = 5_000;
const REGIONS_EVERY_MS = 10_000;
const ROLL_UP_EVERY_MS = 5_000;
const DELETE_HISTORY_EVERY_MS = 10_000;
const DROP_EVERY_MS = 3_600_000;

/**
 * Starts the monitor service, after waiting for its database and for NATS. Disposing the service waits for running
 * calls, events and results.
 */
export function createService(
  config: MonitorConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<RunningService> {
  const { channels, components, verifier, now: given } = overrides;
  const meters = createMeters(runtime);

  return startService(
    { config, runtime, entities, migrations, verifier, now: given },
    async ({ database, nats, now, readClock, stack, transportTo }) => {
      await database.transaction('every organization', (tx) => dropOldPartitions(tx, now()), LONG_STATEMENTS);
      await untilItWorks('the check streams', runtime, () => ensureCheckStreams(nats));
      stack.use(startStreamMetrics([EVENT_STREAM, JOB_STREAM, RESULT_STREAM], nats, runtime));
      const vault = createVault(config.vaultKeys);
      const deps: Deps = {
        database,
        now,
        readClock,
        vault,
        logger: runtime.logger,
        channels: channels ?? notifierChannels(transportTo('notifier', config.notifierUrl)),
        components: components ?? statuspageComponents(transportTo('statuspage', config.statuspageUrl)),
        checkers: natsCheckers(nats, runtime, config),
        regions: config.regions,
      };
      await sealPlainTokens(deps);
      const record = (results: readonly CheckResult[]) => recordAndMeasure(deps, meters, results);
      const intake = stack.use(startResultIntake({ nats, runtime, now, record }));
      const claims = new ClaimProgress(quietMsOf(runtime));
      return {
        consumers: [
          {
            name: 'monitor-from-notifier',
            source: 'tocsin.notifier.v1',
            handlers: [onChannelDeleted, ...onChannelHealth],
          },
          { name: 'monitor-from-disruption', source: 'tocsin.disruption.v1', handlers: onDisruption(deps) },
          {
            name: 'monitor-from-statuspage',
            source: 'tocsin.statuspage.v1',
            handlers: [onPageUpdated(deps)],
            ignored: COMPONENT_EVENTS,
          },
        ],
        loops: [
          {
            name: 'starting rounds',
            everyMs: SCHEDULE_EVERY_MS,
            run: () => startAndMeasureRounds(deps, meters, claims),
          },
          {
            name: 'deciding about heartbeats',
            everyMs: DECIDE_EVERY_MS,
            dueSql: HEARTBEAT_DUE,
            run: () => decideDueHeartbeats(deps),
          },
          {
            name: 'deciding overdue rounds',
            everyMs: SWEEP_EVERY_MS,
            dueSql: SWEEP_DUE,
            run: () => decideOverdue(deps, () => intake.recordedUpTo()),
          },
          {
            name: 'ending long downs',
            everyMs: LONG_DOWNS_EVERY_MS,
            dueSql: LONG_DOWN_DUE,
            run: () => endLongDowns(deps),
          },
          {
            name: 'watching regions',
            everyMs: REGIONS_EVERY_MS,
            run: regionWatch(config.regions, nats, runtime, meters),
          },
          {
            name: 'rolling up results',
            everyMs: ROLL_UP_EVERY_MS,
            dueSql: ROLL_UP_DUE,
            run: () => rollUpResults(deps),
          },
          {
            name: 'deleting history of monitors',
            everyMs: DELETE_HISTORY_EVERY_MS,
            dueSql: DELETION_DUE,
            run: () => deleteHistory(deps),
          },
          { name: 'dropping old history', everyMs: DROP_EVERY_MS, run: () => dropHistory(deps) },
        ],
        organizations: monitorHooks(now),
        sealed: { vault, keysFile: config.vaultKeysFile, columns: SEALED_COLUMNS },
        aggregates: ['monitor'],
        exported: EXPORTED,
        services: [MonitorService, CheckConfigService, HeartbeatService, HistoryService, AdminService, UsageService],
        routes(router) {
          router.service(MonitorService, monitorRpc(deps));
          router.service(HistoryService, historyRpc(deps));
          router.service(CheckConfigService, checkConfigRpc(deps));
          router.service(HeartbeatService, heartbeatRpc(deps));
          router.service(AdminService, adminRpc(deps));
          router.service(UsageService, usageRpc(deps));
        },
      };
    },
  );
}

async function recordAndMeasure(deps: Deps, meters: Meters, results: readonly CheckResult[]): Promise<void> {
  await recordResults(deps, results);
  for (const result of results) {
    const { region, outcome, roundAt, checkedAt } = result;
    meters.results.inc({ region, outcome });
    meters.checkLag.observe({ region }, (checkedAt.getTime() - roundAt.getTime()) / 1000);
    meters.resultDelay.observe(resultDelayMs(result, deps.now()) / 1000);
  }
}

async function startAndMeasureRounds(deps: Deps, meters: Meters, claims: ClaimProgress): Promise<'again' | 'done'> {
  const { found, lags, missed } = await startDueRounds(deps, claims);
  for (const lag of lags) meters.scheduleLag.observe(lag);
  meters.roundsStarted.inc(lags.length);
  meters.roundsMissed.inc(missed);
  return found === CLAIM_LIMIT ? 'again' : 'done';
}

function regionWatch(regions: readonly string[], nats: NatsConnection, { logger }: Runtime, meters: Meters) {
  const isServed = natsRegions(nats);
  const lost = new Set<string>();
  return async (): Promise<'done'> => {
    await watchRegions(regions, isServed, lost, {
      onLook: (region, served) => meters.regionServed.set({ region }, served ? 1 : 0),
      onChange(region, served) {
        if (served) logger.info({ region }, 'a checker of this region takes jobs again');
        else logger.warn({ region }, 'no checker of this region takes jobs: its results are unknown');
      },
    });
    return 'done';
  };
}

async function dropHistory({ database, now }: Deps): Promise<'done'> {
  await database.transaction('every organization', (tx) => dropOldPartitions(tx, now()), LONG_STATEMENTS);
  return 'done';
}
