import { collectDefaultMetrics, Registry } from 'prom-client';
import { createLogger, type Logger } from './logger.ts';
import { Readiness } from './readiness.ts';

/** What every service gets: its name, logger, metrics, readiness and stop signal. */
export interface Runtime {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly readiness: Readiness;
  /** Aborted when the service shall stop. */
  readonly signal: AbortSignal;
}

export interface RuntimeOptions {
  readonly logLevel?: string;
  readonly logTo?: NodeJS.WritableStream;
  readonly signal?: AbortSignal;
}

/** The runtime of one service; a process or a test has one for each service that it runs. */
export function createRuntime(service: string, options: RuntimeOptions = {}): Runtime {
  const { logLevel = 'info', logTo, signal = new AbortController().signal } = options;
  const metrics = new Registry();
  metrics.setDefaultLabels({ service });
  return { service, logger: createLogger(service, logLevel, logTo), metrics, readiness: new Readiness(), signal };
}

/** Adds CPU, memory, event loop and garbage collection of this process. */
export function addProcessMetrics({ metrics }: Runtime): void {
  collectDefaultMetrics({ register: metrics });
}
