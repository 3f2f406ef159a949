import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import pg from 'pg';
import { type Network, startNetwork } from '../network.ts';
import { fire, type Shot } from './load.ts';
import { activate, INTERVAL_SECONDS, insertMonitors, pretendOutage } from './scale-data.ts';
import { between, type Measured, memoryOf, PARTS, takeSample, type Window } from './scale-figures.ts';
import { measureStorage } from './scale-storage.ts';

const REGION = 'local';
const COMPONENTS = 500;

/** Shares of the monitors that are tried, until one has a schedule lag below MAX_LAG_MS. */
const SHARES = [1, 0.5, 0.25];
const MAX_LAG_MS = 1_000;

const SETTLE_SECONDS = 20;
const WINDOW_SECONDS = 40;
const DUMP_SECONDS = 45;
const API_SECONDS = 4;
const API_PER_SECOND = 20;
const API_CONNECTIONS = 4;

/** Seconds after a start in which rounds are counted. */
const START_SECONDS = 30;
const OUTAGE_SECONDS = 600;
/** Seconds after an outage in which rounds are counted. */
const CATCH_UP_SECONDS = 65;

/** Message to the synthetic checker. */
export interface CheckerPlan {
  readonly natsUrl: string;
  readonly region: string;
}

type Table = Record<string, Record<string, string>>;

/**
 * Measures an installation with many monitors at 60 s in one region, with a checker that responds to each job at once,
 * so that the load is that of the schedule, of NATS and of PostgreSQL. If all monitors are too many for this machine,
 * measures a share of them, and calculates the rest from the costs of a check. Also measures requests, a restart, the
 * time after an outage, and the storage of results.
 */
export async function benchScale({ monitors = 100_000 }: { readonly monitors?: number | undefined }): Promise<void> {
  await using network = await startNetwork();
  const { installation } = network;
  await installation.processes.get('checker')?.stop();
  await using checker = await startChecker({ natsUrl: installation.nats?.urlOf('checker') ?? '', region: REGION });
  await using client = await connect(installation.postgres?.url ?? '');
  const measured = { network, checkerPid: checker.pid, client };
  const page = await createPage(network, monitors);
  await insertMonitors(client, monitors);

  const checks: Table = {};
  let share = 0;
  for (share of SHARES) {
    const window = await measureChecks(measured, share);
    const started = monitors * share;
    checks[`${started} monitors`] = checkRow(window, started, monitors);
    if (window.quantileMs('tocsin_schedule_lag_seconds', 0.99) < MAX_LAG_MS) break;
  }
  const active = monitors * share;
  checks[`${active} monitors, during a dump`] = checkRow(await measureDump(measured), active, monitors);
  console.table(transposed(checks));
  process.stdout.write('Memory in MiB\n');
  console.table([memoryOf(measured)]);

  const shots = await shotsOf(network, page);
  const loaded = await timeRequests(network, shots);
  process.stdout.write(`Rounds after the monitor service is killed, usually ${perSecond(active)} a second\n`);
  console.table([await measureRestart(network)]);
  process.stdout.write(`Rounds after ${OUTAGE_SECONDS} s without rounds\n`);
  console.table([await measureOutage(measured, active)]);
  await activate(client, 0);
  await delay(5_000);
  const idle = await timeRequests(network, shots);
  process.stdout.write('Milliseconds per request, p50 / p99\n');
  console.table(Object.fromEntries(shots.map(({ name }) => [name, { 'under load': loaded[name], idle: idle[name] }])));
  process.stdout.write('Storage\n');
  console.table([await measureStorage(client, installation.postgres?.url ?? '', monitors)]);
}

async function measureChecks(measured: Measured, share: number): Promise<Window> {
  await activate(measured.client, share);
  await delay(SETTLE_SECONDS * 1000);
  return measureWindow(measured);
}

/** Measures while a transaction is open that began DUMP_SECONDS earlier, as that of `pg_dump`. */
async function measureDump(measured: Measured): Promise<Window> {
  await using dump = await connect(measured.network.installation.postgres?.url ?? '');
  await dump.query('begin isolation level repeatable read; select from monitor limit 1');
  await delay(DUMP_SECONDS * 1000);
  return measureWindow(measured);
}

async function measureWindow(measured: Measured): Promise<Window> {
  const before = await takeSample(measured);
  await delay(WINDOW_SECONDS * 1000);
  return between(before, await takeSample(measured));
}

function checkRow(window: Window, monitors: number, all: number): Record<string, string> {
  const { cpuMs, quantileMs } = window;
  const quantiles = (name: Parameters<typeof quantileMs>[0]) =>
    [0.5, 0.99].map((q) => `≤ ${quantileMs(name, q)}`).join(' / ');
  const product = cpuMs.monitor + cpuMs.postgres + cpuMs.nats;
  return {
    'rounds due /s': perSecond(monitors).toFixed(0),
    'rounds started /s': window.startedPerSecond.toFixed(0),
    'results /s': window.resultsPerSecond.toFixed(0),
    ...Object.fromEntries(PARTS.map((part) => [`${part} (ms of processor per check)`, cpuMs[part].toFixed(3)])),
    'schedule lag p50 / p99 (ms)': quantiles('tocsin_schedule_lag_seconds'),
    'start of the check after its time p50 / p99 (ms)': quantiles('tocsin_check_lag_seconds'),
    'result delay p50 / p99 (ms)': quantiles('tocsin_result_delay_seconds'),
    'WAL bytes per check': window.walBytesPerResult.toFixed(0),
    [`cores of monitor, postgres and nats for ${all} monitors, calculated`]: (
      (product / 1000) *
      perSecond(all)
    ).toFixed(2),
  };
}

function perSecond(monitors: number): number {
  return Math.round(monitors / INTERVAL_SECONDS);
}

/** Creates a status page with 500 components and their monitors. Returns its id. */
async function createPage({ api }: Network, monitors: number): Promise<string> {
  const ids: string[] = [];
  while (ids.length < Math.min(COMPONENTS, monitors)) {
    const batch = Array.from({ length: 100 }, (_, index) => ({
      name: `Shop of the page ${ids.length + index}`,
      check_type: 'http',
      config: { url: 'https://shop.example.com/' },
      interval_seconds: INTERVAL_SECONDS,
      alert_channel_ids: [],
    }));
    const created = await api.post<{ id: string }[]>('/monitors/batch', { monitors: batch });
    ids.push(...created.map(({ id }) => id));
  }
  const { id } = await api.post<{ id: string }>('/status-pages', { name: 'Large', slug: 'large', enabled: true });
  const components = Array.from({ length: 20 }, (_, group) => ({
    type: 'group',
    name: `Group ${group}`,
    components: Array.from({ length: COMPONENTS / 20 }, (_, index) => ({
      type: 'component',
      name: `Component ${group}.${index}`,
      monitors: [{ monitor_id: ids[(group * (COMPONENTS / 20) + index) % ids.length] }],
    })),
  }));
  // The page gets to know monitors by their events.
  await eventually(() => api.put(`/status-pages/${id}/structure`, { components }), { timeoutMs: 30_000 });
  return id;
}

interface NamedShot {
  readonly name: string;
  readonly shot: Shot;
}

async function shotsOf({ api, installation }: Network, pageId: string): Promise<NamedShot[]> {
  const headers = { authorization: `Bearer ${installation.bootstrap.api_key}` };
  const get = (name: string, path: string) => ({ name, shot: { method: 'GET', path, headers } as const });
  const [monitor] = await api.get<{ id: string }[]>('/monitors?limit=1');
  const state = `/api/v1/monitors/${monitor?.id}`;
  return [
    get('GET list of 100 monitors', '/api/v1/monitors?limit=100'),
    get('GET list of 100 monitors, last page', await lastPage(api)),
    get('GET monitors by name, 11 match', '/api/v1/monitors?limit=100&q=shop%20123'),
    get('GET monitors by state, none matches', '/api/v1/monitors?limit=100&state=down'),
    get('GET one monitor', state),
    get('GET state', `${state}/state`),
    get('GET status page with 500 components', `/api/v1/status-pages/${pageId}`),
    get('view of the page with 500 components', '/s/large'),
  ];
}

/** Returns the path of the last page of the list of monitors that has a next page. */
async function lastPage(api: Network['api']): Promise<string> {
  let path = '/api/v1/monitors?limit=1000';
  for (;;) {
    const next = /<([^>]+)>; rel="next"/.exec((await api.send('GET', path)).headers.get('link') ?? '')?.[1];
    if (!next) return path.replace('limit=1000', 'limit=100');
    path = next;
  }
}

/** Sends 80 requests of each kind, and returns p50 and p99 in milliseconds. */
async function timeRequests({ baseUrl }: Network, shots: readonly NamedShot[]): Promise<Record<string, string>> {
  const row: Record<string, string> = {};
  for (const { name, shot } of shots) {
    const paced = { ...shot, connections: API_CONNECTIONS, perSecond: API_PER_SECOND };
    await fire(baseUrl, paced, 1);
    const { p50, p99 } = await fire(baseUrl, paced, API_SECONDS);
    row[name] = `${p50.toFixed(0)} / ${p99.toFixed(0)}`;
  }
  return row;
}

async function measureRestart(network: Network): Promise<Record<string, string>> {
  const seconds = await restart(network);
  return { 'seconds until ready': seconds.toFixed(1), ...burstOf(await roundsPerSecond(network, START_SECONDS)) };
}

async function measureOutage({ network, client }: Measured, active: number): Promise<Record<string, string>> {
  await pretendOutage(client, OUTAGE_SECONDS);
  await restart(network);
  const rounds = await roundsPerSecond(network, CATCH_UP_SECONDS);
  const all = rounds.findIndex((_, index) => rounds.slice(0, index + 1).reduce((a, b) => a + b, 0) >= active);
  const seconds = all < 0 ? `> ${CATCH_UP_SECONDS}` : String(all + 1);
  return { ...burstOf(rounds), 'seconds until as many rounds as monitors': seconds };
}

/** Kills the monitor service, and waits until it is ready again. Returns the seconds that this took. */
async function restart(network: Network): Promise<number> {
  const killed = network.pidOf('monitor');
  network.kill('monitor');
  const began = performance.now();
  const ready = async () => {
    const pid = network.pidOf('monitor');
    if (pid === undefined || pid === killed) throw new Error('the monitor service has not started');
    const response = await fetch(`http://${network.installation.bootstrap.admin.monitor}/readyz`);
    if (!response.ok) throw new Error('the monitor service is not ready');
  };
  await eventually(ready, { timeoutMs: 120_000, intervalMs: 20 });
  return (performance.now() - began) / 1000;
}

/** Returns the number of rounds that a new monitor service starts in each of the next seconds, with those before. */
async function roundsPerSecond(network: Network, seconds: number): Promise<number[]> {
  const rounds: number[] = [];
  let last = 0;
  const began = performance.now();
  for (let second = 1; second <= seconds; second += 1) {
    await delay(Math.max(0, began + second * 1000 - performance.now()));
    const started = await network.metric('monitor', 'tocsin_rounds_started_total');
    rounds.push(started - last);
    last = started;
  }
  return rounds;
}

function burstOf(rounds: readonly number[]): Record<string, string> {
  return {
    'in the first seconds': rounds.slice(0, 8).join(', '),
    'in the fullest second': String(Math.max(...rounds)),
    'median of a second': String(rounds.toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)]),
  };
}

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({
    connectionString: url,
    options: '-c search_path=monitor -c tocsin.every_organization=on',
  });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function startChecker(plan: CheckerPlan): Promise<AsyncDisposable & { readonly pid: number }> {
  const child = fork(join(import.meta.dirname, 'scale-checker.ts'));
  child.send(plan);
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** Returns a table with rows and columns exchanged, because the rows have many cells. */
function transposed(table: Table): Table {
  const names = new Set(Object.values(table).flatMap(Object.keys));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      Object.fromEntries(Object.entries(table).map(([row, cells]) => [row, cells[name] ?? ''])),
    ]),
  );
}
