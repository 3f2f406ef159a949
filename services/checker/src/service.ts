import {
  askNameServers,
  createConnectivityGuard,
  createNetguard,
  type Netguard,
  type Reference,
  reachAny,
} from '@tocsin/netguard';
import {
  connectNats,
  createRemoteTokenVerifier,
  createTokenSource,
  createTransport,
  openTls,
  pause,
  type Runtime,
  startRpcServer,
  type TokenVerifier,
  untilItWorks,
} from '@tocsin/runtime';
import { ensureCheckStreams } from '@tocsin/work-queue';
import { confirmByConnectivity } from './app/connectivity-guard.ts';
import { createLagMeter } from './app/event-loop-lag.ts';
import type { CheckConfigs, ConnectivityGuard, Deps } from './app/ports.ts';
import { prepareCheck, runCheck } from './app/run-check.ts';
import { remoteCheckConfigs } from './clients/check-configs.ts';
import { remoteScreenshots } from './clients/screenshots.ts';
import type { CheckerConfig } from './config.ts';
import { startJobIntake } from './consumers/on-check-jobs.ts';
import { createMeters, type Meters } from './metrics.ts';
import { createProbes } from './probes/create-probes.ts';
import { findChromium } from './probes/synthetic/find-programs.ts';

/** Dependencies that tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly configs?: CheckConfigs;
  /** Probes that replace the default probes, which access the network. */
  readonly probes?: Deps['probes'];
  readonly verifier?: TokenVerifier;
}

/** Minimum milliseconds between two checks of the connectivity references. */
const REFERENCES_EVERY_MS = 1_000;

/** Starts the checker service. Disposing it lets running checks finish. */
export async function createService(
  config: CheckerConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<AsyncDisposable & { rpcPort: number }> {
  await using stack = new AsyncDisposableStack();
  const { identityUrl, monitorUrl, serviceSecret: secret, region, concurrency } = config;
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;
  await untilItWorks('the check streams', runtime, () => ensureCheckStreams(nats));

  const tls = await openTls({ folder: config.tlsFolder, runtime });
  if (tls) stack.use(tls);
  const tokens = createTokenSource({ service: 'checker', secret, identityUrl, tls });
  const monitorTransport = createTransport({ url: monitorUrl, service: 'monitor', tokens, tls });
  const { allowPrivateTargets: allow, closedPorts, nameServers: servers } = config;
  const resolve = askNameServers({ servers });
  const guard = createNetguard({ allow, closedPorts, resolve });
  const chromium = findChromium(config.synthetic.chromium);
  if (!chromium) runtime.logger.warn('no Chromium found: synthetic checks are reported as unknown');
  const meters = createMeters(runtime);
  const lag = createLagMeter();
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const deps: Deps = {
    connectivity: {
      measureLag: lag.measure,
      confirm: createConfirm(
        config.references,
        createNetguard({ allow: 'all', resolve }),
        runtime,
        meters,
        stop.signal,
      ),
    },
    configs: overrides.configs ?? remoteCheckConfigs(monitorTransport),
    probes:
      overrides.probes ??
      createProbes({
        ...config,
        guard,
        synthetic: { ...config.synthetic, closedPorts, chromium, warn: (text) => runtime.logger.warn(text) },
      }),
    now: overrides.now ?? (() => new Date()),
  };
  stack.use(
    startJobIntake({
      nats,
      runtime,
      region,
      concurrency,
      browsers: config.browsers,
      batches: config.batches,
      run: (job) => runCheck(deps, job),
      prepare: (job) => prepareCheck(deps, job),
      screenshots: remoteScreenshots(monitorTransport, region),
      onEnd: (outcome) => meters.jobs.inc({ outcome }),
      onLoad({ running, waiting }) {
        meters.running.set(running);
        meters.waiting.set(waiting);
      },
    }),
  );

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      verifier: overrides.verifier ?? createRemoteTokenVerifier(identityUrl, { tls }),
      tls,
      services: [],
      routes() {},
    }),
  );
  const started = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/**
 * Returns a function that confirms a failure only if a connectivity reference is reachable. Without references, it
 * confirms all failures. `guard` resolves names as for targets, so that an outage of the name servers is noticed.
 */
function createConfirm(
  references: readonly Reference[],
  guard: Netguard,
  runtime: Runtime,
  meters: Meters,
  signal: AbortSignal,
): ConnectivityGuard['confirm'] {
  if (references.length === 0) return async (_monitorId, observation) => observation;
  return confirmByConnectivity(
    createConnectivityGuard({
      reachReferences: () => reachAny(guard, references),
      pause: () => pause(REFERENCES_EVERY_MS, signal),
      onChange(connected) {
        meters.connected.set(connected ? 1 : 0);
        if (connected) runtime.logger.info('connectivity reference reachable again');
        else runtime.logger.error('no connectivity reference reachable: failures are reported as unknown');
      },
    }),
  );
}
