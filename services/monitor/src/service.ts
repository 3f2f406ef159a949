import { openDatabase } from '@tocsin/database';
import { EVENT_STREAM, startConsumer, startRelay, startStreamMetrics } from '@tocsin/outbox';
import { AdminService } from '@tocsin/proto/monitor/v1/admin';
import { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { HeartbeatService } from '@tocsin/proto/monitor/v1/heartbeat';
import { HistoryService } from '@tocsin/proto/monitor/v1/history';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
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
import { ensureCheckStreams, JOB_STREAM, RESULT_STREAM } from '@tocsin/work-queue';
import { endLongDowns } from './app/auto-disable/watch-downs.ts';
import { DUE_LIMIT, decideDueHeartbeats } from './app/heartbeats/decide-due-heartbeats.ts';
import { publishDays } from './app/history/publish-days.ts';
import { rollUpResults } from './app/history/roll-up-results.ts';
import type { AlertChannels, Components, Deps } from './app/ports.ts';
import { recordResults } from './app/rounds/record-results.ts';
import { recordStaleMonitors } from './app/rounds/record-stale-monitors.ts';
import { SWEEP_LIMIT, settleOverdueRounds } from './app/rounds/settle-rounds.ts';
import { CLAIM_LIMIT, startDueRounds } from './app/rounds/start-due-rounds.ts';
import { watchRegions } from './app/rounds/watch-regions.ts';
import { natsCheckers } from './clients/nats-checkers.ts';
import { natsRegions } from './clients/nats-regions.ts';
import { notifierChannels } from './clients/notifier-channels.ts';
import { statuspageComponents } from './clients/statuspage-components.ts';
import type { MonitorConfig } from './config.ts';
import { onChannelDeleted } from './consumers/on-channel-deleted.ts';
import { startResultIntake } from './consumers/on-check-results.ts';
import { onDisruption } from './consumers/on-disruption.ts';
import { onPageUpdated } from './consumers/on-page-updated.ts';
import { createMeters } from './metrics.ts';
import { adminRpc } from './rpc/admin-rpc.ts';
import { checkConfigRpc } from './rpc/check-config-rpc.ts';
import { heartbeatRpc } from './rpc/heartbeat-rpc.ts';
import { historyRpc } from './rpc/history-rpc.ts';
import { monitorRpc } from './rpc/monitor-rpc.ts';
import { dropOldPartitions } from './storage/history/partitions.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/schema.ts';

/** What tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly channels?: AlertChannels;
  readonly components?: Components;
  readonly verifier?: TokenVerifier;
}

const SCHEDULE_EVERY_MS = 200;
const SWEEP_EVERY_MS = 1_000;
const REGIONS_EVERY_MS = 10_000;
const ROLL_UP_EVERY_MS = 5_000;
const KEEP_EVERY_MS = 3_600_000;

/** Composes the service and starts it. Answers when it serves; disposing drains it. */
export async function createService(
  config: MonitorConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<AsyncDisposable & { rpcPort: number }> {
  await using stack = new AsyncDisposableStack();
  const now = overrides.now ?? (() => new Date());
  const { databaseUrl, identityUrl, serviceSecret } = config;

  const database = stack.use(
    await untilItWorks('the database', runtime, () =>
      openDatabase({ url: databaseUrl, entities, migrations, poolSize: 16 }),
    ),
  );
  await database.transaction('every organization', (tx) => dropOldPartitions(tx, now()));
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;
  await untilItWorks('the check streams', runtime, () => ensureCheckStreams(nats));
  runtime.readiness.add('database', () => database.ping());

  const tokens = createTokenSource({ service: 'monitor', secret: serviceSecret, identityUrl });
  const channels =
    overrides.channels ?? notifierChannels(createTransport({ url: config.notifierUrl, service: 'notifier', tokens }));
  const deps: Deps = {
    database,
    now,
    vault: createVault(config.vaultKeys),
    logger: runtime.logger,
    channels,
    components:
      overrides.components ??
      statuspageComponents(createTransport({ url: config.statuspageUrl, service: 'statuspage', tokens })),
    checkers: natsCheckers(nats, runtime),
    regions: config.regions,
  };
  const meters = createMeters(runtime);

  stack.use(startRelay({ databaseUrl, nats, runtime }));
  stack.use(startStreamMetrics([EVENT_STREAM, JOB_STREAM, RESULT_STREAM], nats, runtime));
  stack.use(
    await startConsumer({
      name: 'monitor-from-notifier',
      source: 'tocsin.notifier.v1',
      handlers: [onChannelDeleted],
      database,
      nats,
      runtime,
    }),
  );
  stack.use(
    await startConsumer({
      name: 'monitor-from-disruption',
      source: 'tocsin.disruption.v1',
      handlers: onDisruption(deps),
      database,
      nats,
      runtime,
    }),
  );
  stack.use(
    await startConsumer({
      name: 'monitor-from-statuspage',
      source: 'tocsin.statuspage.v1',
      handlers: [onPageUpdated(deps)],
      database,
      nats,
      runtime,
    }),
  );
  const intake = stack.use(
    startResultIntake(
      nats,
      runtime,
      async (results) => {
        await recordResults(deps, results);
        for (const { region, outcome, roundAt, checkedAt } of results) {
          meters.results.inc({ region, outcome });
          meters.checkLag.observe({ region }, (checkedAt.getTime() - roundAt.getTime()) / 1000);
          meters.resultDelay.observe((now().getTime() - roundAt.getTime()) / 1000);
        }
      },
      now,
    ),
  );
  stack.use(
    startLoop('starting rounds', SCHEDULE_EVERY_MS, runtime, async () => {
      const { lags, missed } = await startDueRounds(deps);
      for (const lag of lags) meters.scheduleLag.observe(lag);
      meters.roundsStarted.inc(lags.length);
      meters.roundsMissed.inc(missed);
      return lags.length === CLAIM_LIMIT ? 'again' : 'done';
    }),
  );
  stack.use(
    startLoop('deciding about heartbeats', SCHEDULE_EVERY_MS, runtime, async () =>
      (await decideDueHeartbeats(deps)) === DUE_LIMIT ? 'again' : 'done',
    ),
  );
  stack.use(
    startLoop('deciding what is overdue', SWEEP_EVERY_MS, runtime, async () => {
      // A result that waits is an answer that is here: nobody may be called silent before it was heard.
      const heardUpTo = await intake.heardUpTo();
      if (!heardUpTo) return 'done';
      return (await settleOverdueRounds(deps, heardUpTo)) === SWEEP_LIMIT
        ? 'again'
        : recordStaleMonitors(deps, heardUpTo);
    }),
  );
  stack.use(startLoop('ending long downs', SWEEP_EVERY_MS, runtime, () => endLongDowns(deps)));
  const served = natsRegions(nats);
  const lostRegions = new Set<string>();
  stack.use(
    startLoop('watching regions', REGIONS_EVERY_MS, runtime, async () => {
      await watchRegions(config.regions, served, lostRegions, {
        onLook: (region, served) => meters.regionServed.set({ region }, served ? 1 : 0),
        onChange(region, served) {
          if (served) runtime.logger.info({ region }, 'a checker of this region takes jobs again');
          else runtime.logger.warn({ region }, 'no checker of this region takes jobs: its results are unknown');
        },
      });
      return 'done';
    }),
  );
  stack.use(startLoop('rolling up results', ROLL_UP_EVERY_MS, runtime, () => rollUpResults(deps)));
  stack.use(startLoop('publishing days', ROLL_UP_EVERY_MS, runtime, () => publishDays(deps)));
  stack.use(
    startLoop('keeping history', KEEP_EVERY_MS, runtime, async () => {
      await database.transaction('every organization', (tx) => dropOldPartitions(tx, now()));
      return 'done';
    }),
  );

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      verifier: overrides.verifier ?? createRemoteTokenVerifier(identityUrl),
      services: [MonitorService, CheckConfigService, HeartbeatService, HistoryService, AdminService],
      routes(router) {
        router.service(MonitorService, monitorRpc(deps));
        router.service(HistoryService, historyRpc(deps));
        router.service(CheckConfigService, checkConfigRpc(deps));
        router.service(HeartbeatService, heartbeatRpc(deps));
        router.service(AdminService, adminRpc(deps));
      },
    }),
  );
  const started = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
