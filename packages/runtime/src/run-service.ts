import { startAdminServer } from './admin-server.ts';
import type { BaseConfig } from './base-config.ts';
import { ConfigError, type Environment } from './config.ts';
import { callLocalServersDirectly } from './local-servers.ts';
import { addProcessMetrics, createRuntime, type Runtime } from './runtime.ts';
import { inService, startTelemetry, telemetryFromEnvironment } from './telemetry.ts';

const DEFAULT_DRAIN_MS = 20_000;

/** A service that can be started, with its configuration. */
export interface Program {
  readonly service: string;
  readonly config: BaseConfig;
  readonly create: (runtime: Runtime) => Promise<AsyncDisposable>;
}

/**
 * Runs a service process: reads the configuration, starts the service, serves until SIGTERM or SIGINT, and drains. The
 * process exits when nothing is left to do. If draining takes too long, the process is forced to exit.
 */
export async function runService<Config extends BaseConfig>(
  service: string,
  loadConfig: (env: Environment) => Config,
  createService: (config: Config, runtime: Runtime) => Promise<AsyncDisposable>,
): Promise<void> {
  await runPrograms(service, [[configured(service, loadConfig, createService, process.env)]]);
}

/**
 * Returns a service with the configuration from an environment. If the configuration is invalid, prints the reason and
 * ends the process.
 */
export function configured<Config extends BaseConfig>(
  service: string,
  loadConfig: (env: Environment) => Config,
  createService: (config: Config, runtime: Runtime) => Promise<AsyncDisposable>,
  env: Environment,
): Program {
  const config = configOrExit(service, () => loadConfig(env));
  return { service, config, create: (runtime) => createService(config, runtime) };
}

/**
 * Runs several services in this process, as runService() does with one. `groups` are started one after the other, and
 * stopped in the opposite order. The services of a group are started and stopped together. If one service fails, all of
 * them stop. The services call each other without the network. In traces, each service has its own name, and `name` is
 * that of the process itself. Log lines about the process itself have the name of the first service.
 */
export async function runPrograms(name: string, groups: readonly (readonly Program[])[]): Promise<void> {
  const services = groups.flat().map(({ service }) => service);
  const sharesProcess = services.length > 1;
  if (sharesProcess) callLocalServersDirectly();
  const stack = new AsyncDisposableStack();
  stack.use(
    startTelemetry({
      service: name,
      services: sharesProcess ? services : [],
      ...(await telemetryFromEnvironment(process.env)),
    }),
  );
  const stopSignal = new AbortController();
  const started = groups.map((group) =>
    group.map(({ service, config, create }) => {
      const runtime = createRuntime(service, { logLevel: config.logLevel, signal: stopSignal.signal, sharesProcess });
      addProcessMetrics(runtime);
      return { config, create, runtime };
    }),
  );
  const runtimes = started.flat().map(({ runtime }) => runtime);
  const drainMs = Math.max(...groups.flat().map(({ config }) => config.drainMs ?? DEFAULT_DRAIN_MS));
  const logger = (runtimes[0] ?? createRuntime(name)).logger;

  let stopping: Promise<void> | undefined;
  const stop = (reason: string, exitCode: number) => {
    stopping ??= (async () => {
      process.exitCode = exitCode;
      logger.info({ reason }, 'stopping');
      for (const { readiness } of runtimes) readiness.stopping();
      stopSignal.abort();
      setTimeout(() => process.exit(exitCode || 1), drainMs).unref();
      await stack.disposeAsync();
      logger.info('stopped');
      logger.flush();
    })();
    return stopping;
  };
  process.once('SIGTERM', () => void stop('SIGTERM', 0));
  process.once('SIGINT', () => void stop('SIGINT', 0));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    void stop('uncaught exception', 1);
  });

  try {
    for (const { config, runtime } of started.flat()) {
      const admin = { host: config.adminHost, port: config.adminPort, ...runtime };
      stack.use(await startAdminServer(admin));
    }
    for (const group of started) {
      const instances = await allOrNone(
        group.map(({ create, runtime }) => inService(runtime.service, () => create(runtime))),
      );
      if (stopping) return await disposeAll(instances);
      stack.defer(() => disposeAll(instances));
    }
    for (const { readiness, logger: own } of runtimes) {
      readiness.started();
      own.info('started');
    }
  } catch (error) {
    if (stopSignal.signal.aborted) return;
    logger.fatal({ err: error }, `can't start: ${error instanceof Error ? error.message : String(error)}`);
    await stop('failed to start', 1);
  }
}

/** Waits for all instances. If one fails to start, disposes the others. */
async function allOrNone(starting: readonly Promise<AsyncDisposable>[]): Promise<AsyncDisposable[]> {
  try {
    return await Promise.all(starting);
  } catch (error) {
    const settled = await Promise.allSettled(starting);
    await disposeAll(settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    throw error;
  }
}

async function disposeAll(instances: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
}

function configOrExit<Config>(service: string, loadConfig: () => Config): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${service} can't start, its configuration is wrong:\n${error.message}\n`);
    process.exit(1);
  }
}
