import { createServer } from 'node:http';
import { Gauge, type Registry } from 'prom-client';
import { listen } from './listen.ts';
import type { Readiness } from './readiness.ts';

export interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Registry;
  readonly readiness: Readiness;
}

/**
 * Serves `/livez`, `/readyz`, `/serving` and Prometheus `/metrics` on a private port. Unlike `/readyz`, `/serving` does
 * not depend on other servers, because the gateway can send status pages while its database is down.
 */
export async function startAdminServer(options: AdminServerOptions): Promise<AsyncDisposable & { port: number }> {
  const { metrics, readiness } = options;
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/livez') return response.end('ok\n');
    if (path === '/serving') {
      response.writeHead(readiness.isServing ? 200 : 503);
      return response.end(readiness.isServing ? 'ok\n' : 'starting or stopping\n');
    }
    if (path === '/readyz') {
      const report = await readiness.report();
      response.writeHead(report.ready ? 200 : 503, { 'content-type': 'application/json' });
      return response.end(`${JSON.stringify(report)}\n`);
    }
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.contentType });
      return response.end(await metrics.metrics());
    }
    response.writeHead(404);
    return response.end('try /livez, /serving, /readyz or /metrics\n');
  });
  const port = await listen(server, options.host, options.port);
  addServingMetric(metrics, readiness);
  addDependencyMetric(metrics, readiness);
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Adds a metric that has a value from the start of the process. A dependency has none before it was first reached, so
 * that its metric does not show a service that waits for it.
 */
function addServingMetric(metrics: Registry, readiness: Readiness): void {
  new Gauge({
    name: 'tocsin_serving',
    help: '1 while the service is running; 0 while it is starting or stopping.',
    registers: [metrics],
    collect() {
      this.set(readiness.isServing ? 1 : 0);
    },
  });
}

/** Adds a metric for the readiness checks, which run whenever the metrics are read. */
function addDependencyMetric(metrics: Registry, readiness: Readiness): void {
  new Gauge({
    name: 'tocsin_dependency_ready',
    help: '1 if a check of the readiness passes, such as that of the database; otherwise 0.',
    labelNames: ['dependency'],
    registers: [metrics],
    async collect() {
      const { checks } = await readiness.report();
      for (const [dependency, result] of Object.entries(checks)) this.set({ dependency }, result === 'ok' ? 1 : 0);
    },
  });
}
