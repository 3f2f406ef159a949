import { ensureCheckStreams } from '@tocsin/check-queue';
import { createNetguard } from '@tocsin/netguard';
import {
  connectNats,
  createRemoteTokenVerifier,
  createTokenSource,
  createTransport,
  type Runtime,
  startRpcServer,
  type TokenVerifier,
  untilItWorks,
} from '@tocsin/runtime';
import type { CheckConfigs, Deps } from './app/ports.ts';
import { runCheck } from './app/run-check.ts';
import { remoteCheckConfigs } from './clients/check-configs.ts';
import { httpProbe } from './clients/http-probe.ts';
import type { CheckerConfig } from './config.ts';
import { startJobIntake } from './events/on-check-jobs.ts';
import { createMeters } from './metrics.ts';

/** What tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly configs?: CheckConfigs;
  readonly verifier?: TokenVerifier;
}

/** Composes the service and starts it. Answers when it checks; disposing lets running checks finish. */
export async function createService(
  config: CheckerConfig,
  runtime: Runtime,
  overrides: Overrides = {},
): Promise<AsyncDisposable & { rpcPort: number }> {
  await using stack = new AsyncDisposableStack();
  const { identityUrl, monitorUrl, serviceSecret: secret, region, concurrency } = config;
  const nats = stack.use(await connectNats(config.natsUrl, runtime)).connection;
  await untilItWorks('the check streams', runtime, () => ensureCheckStreams(nats));

  const tokens = createTokenSource({ service: 'checker', secret, identityUrl });
  const guard = createNetguard({ allow: config.allowPrivateTargets });
  const deps: Deps = {
    configs: overrides.configs ?? remoteCheckConfigs(createTransport({ url: monitorUrl, tokens })),
    probes: { http: httpProbe(guard) },
    now: overrides.now ?? (() => new Date()),
  };
  const meters = createMeters(runtime);
  stack.use(
    startJobIntake({
      nats,
      runtime,
      region,
      concurrency,
      run: (job) => runCheck(deps, job),
      onEnd: (outcome) => meters.jobs.inc({ outcome }),
      onRunning: (count) => meters.running.set(count),
    }),
  );

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      verifier: overrides.verifier ?? createRemoteTokenVerifier(identityUrl),
      services: [],
      routes() {},
    }),
  );
  const started = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
