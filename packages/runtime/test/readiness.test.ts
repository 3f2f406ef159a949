import { Counter } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRuntime, type Runtime, startAdminServer } from '../src/index.ts';

let runtime: Runtime;
let server: Awaited<ReturnType<typeof startAdminServer>>;

beforeEach(async () => {
  runtime = createRuntime('monitor', { logLevel: 'silent' });
  server = await startAdminServer({ host: '127.0.0.1', port: 0, ...runtime });
});

afterEach(() => server[Symbol.asyncDispose]());

function get(path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}${path}`);
}

async function readyz(): Promise<{ status: number; report: unknown }> {
  const response = await get('/readyz');
  return { status: response.status, report: await response.json() };
}

test('a service is ready after its start and not ready once it stops', async () => {
  expect(await readyz()).toEqual({ status: 503, report: { ready: false, phase: 'starting', checks: {} } });
  runtime.readiness.started();
  expect(await readyz()).toEqual({ status: 200, report: { ready: true, phase: 'running', checks: {} } });
  runtime.readiness.stopping();
  expect(await readyz()).toEqual({ status: 503, report: { ready: false, phase: 'stopping', checks: {} } });
  runtime.readiness.started();
  expect(await readyz()).toMatchObject({ status: 503, report: { phase: 'stopping' } });
});

test('a failing check is reported with its reason, and the service is not ready until the check passes', async () => {
  let away = true;
  runtime.readiness.started();
  runtime.readiness.add('nats', async () => undefined);
  runtime.readiness.add('database', async () => {
    if (away) throw new Error('the database is unavailable');
  });
  const checks = { nats: 'ok', database: 'the database is unavailable' };
  expect(await readyz()).toMatchObject({ status: 503, report: { ready: false, checks } });
  away = false;
  expect(await readyz()).toMatchObject({ status: 200, report: { ready: true } });
});

test('the metrics say which checks pass', async () => {
  let away = true;
  runtime.readiness.add('nats', async () => undefined);
  runtime.readiness.add('database', async () => {
    if (away) throw new Error('the database is unavailable');
  });
  const metric = async (name: string) =>
    (await (await get('/metrics')).text()).match(
      new RegExp(`^tocsin_dependency_ready\\{dependency="${name}".*\\} (.)$`, 'm'),
    )?.[1];
  expect([await metric('nats'), await metric('database')]).toEqual(['1', '0']);
  away = false;
  expect([await metric('nats'), await metric('database')]).toEqual(['1', '1']);
});

test('the metrics say from the beginning whether a service is running', async () => {
  const serving = async () => /^tocsin_serving\{.*\} (.)$/m.exec(await (await get('/metrics')).text())?.[1];
  expect(await serving()).toBe('0');
  runtime.readiness.started();
  expect(await serving()).toBe('1');
  runtime.readiness.stopping();
  expect(await serving()).toBe('0');
});

test('/serving reports success between the start and the stop of a service, even if a check fails', async () => {
  runtime.readiness.add('database', async () => {
    throw new Error('the database is unavailable');
  });
  expect((await get('/serving')).status).toBe(503);
  runtime.readiness.started();
  expect((await get('/serving')).status).toBe(200);
  runtime.readiness.stopping();
  expect((await get('/serving')).status).toBe(503);
});

test('a check that never ends is reported as failed after two seconds', async () => {
  runtime.readiness.started();
  runtime.readiness.add('database', () => new Promise(() => undefined));
  expect(await readyz()).toMatchObject({ status: 503, report: { checks: { database: 'no response within 2 s' } } });
});

test('/livez reports success even if the service is not ready', async () => {
  expect((await get('/livez')).status).toBe(200);
});

test('metrics are in the Prometheus format and contain the service name', async () => {
  new Counter({ name: 'tocsin_tests_total', help: 'Tests.', registers: [runtime.metrics] }).inc(3);
  const response = await get('/metrics');
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await response.text()).toContain('tocsin_tests_total{service="monitor"} 3');
});

test('a path other than /livez, /serving, /readyz and /metrics is not found', async () => {
  expect((await get('/config')).status).toBe(404);
});

test('the error for a port in use is a readable sentence', async () => {
  const second = startAdminServer({ host: '127.0.0.1', port: server.port, ...runtime });
  await expect(second).rejects.toThrow(`port ${server.port} on 127.0.0.1 is taken by another program`);
});
