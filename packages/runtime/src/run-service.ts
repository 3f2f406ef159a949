import { startAdminServer } from './admin-server.ts';
import type { BaseConfig } from './base-config.ts';
import { ConfigError, type Environment } from './config.ts';
import { addProcessMetrics, createRuntime, type Runtime } from './runtime.ts';
import { startTelemetry, telemetryFromEnvironment } from './telemetry.ts';

const DRAIN_LIMIT_MS = 20_000;

/**
 * Runs a service process: reads the configuration, starts the service, serves until SIGTERM or SIGINT, and drains. The
 * process exits when nothing is left to do. If draining takes too long, it is forced to exit.
 */
export async function runService<Config extends BaseConfig>(
  service: string,
  loadConfig: (env: Environment) => Config,
  createService: (config: Config, runtime: Runtime) => Promise<AsyncDisposable>,
): Promise<void> {
  const config = configOrExit(service, loadConfig);
  const stack = new AsyncDisposableStack();
  stack.use(startTelemetry({ service, ...telemetryFromEnvironment(process.env) }));
  const stopSignal = new AbortController();
  const runtime = createRuntime(service, { logLevel: config.logLevel, signal: stopSignal.signal });
  addProcessMetrics(runtime);
  const { logger, metrics, readiness } = runtime;

  let stopping: Promise<void> | undefined;
  const stop = (reason: string, exitCode: number) => {
    stopping ??= (async () => {
      process.exitCode = exitCode;
      logger.info({ reason }, 'stopping');
      readiness.stopping();
      stopSignal.abort();
      setTimeout(() => process.exit(exitCode || 1), DRAIN_LIMIT_MS).unref();
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
    const admin = { host: config.adminHost, port: config.adminPort, metrics, readiness };
    stack.use(await startAdminServer(admin));
    const instance = await createService(config, runtime);
    if (stopping) return await instance[Symbol.asyncDispose]();
    stack.use(instance);
    readiness.started();
    logger.info('started');
  } catch (error) {
    if (stopSignal.signal.aborted) return;
    logger.fatal({ err: error }, `can't start: ${error instanceof Error ? error.message : String(error)}`);
    await stop('failed to start', 1);
  }
}

function configOrExit<Config>(service: string, loadConfig: (env: Environment) => Config): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${service} can't start, its configuration is wrong:\n${error.message}\n`);
    process.exit(1);
  }
}
