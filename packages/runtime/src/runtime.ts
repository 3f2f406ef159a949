import { collectDefaultMetrics, Registry } from 'prom-client';
import { createLogger, type Logger } from './logger.ts';
import { Readiness } from './readiness.ts';

/** Name, logger, metrics, readiness and stop signal of a service. */
export interface Runtime {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly readiness: Readiness;
  /** Aborted when the service must stop. */
  readonly signal: AbortSignal;
  /** Whether other services run in the same process. */
  readonly sharesProcess: boolean;
}

export interface RuntimeOptions {
  readonly logLevel?: string;
  readonly logTo?: NodeJS.WritableStream;
  readonly signal?: AbortSignal;
  /** Defaults to false. */
  readonly sharesProcess?: boolean;
}

/** Creates the runtime of a service. */
export function createRuntime(service: string, options: RuntimeOptions = {}): Runtime {
  const { logLevel = 'info', logTo, signal = new AbortController().signal, sharesProcess = false } = options;
  const metrics = new Registry();
  metrics.setDefaultLabels({ service });
  const logger = createLogger(service, logLevel, logTo);
  return { service, logger, metrics, readiness: new Readiness(), signal, sharesProcess };
}

/**
 * Milliseconds between two measurements of the event loop's delay. By default it is measured every 10 ms, and wakes an
 * idle process more often than all other work together.
 */
const EVENT_LOOP_EVERY_MS = 100;

/**
 * Adds metrics of this process: processor time, memory, event loop and garbage collection. The minimum, mean, maximum
 * and percentiles of `nodejs_eventloop_lag` are times between two measurements, so they include EVENT_LOOP_EVERY_MS.
 */
export function addProcessMetrics({ metrics }: Runtime): void {
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: EVENT_LOOP_EVERY_MS });
}
