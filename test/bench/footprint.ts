import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import { type Network, removeNetwork, startNetwork } from '../network.ts';
import type { BareRounds } from './footprint-bare.ts';
import type { TargetReport, TargetRequest } from './footprint-target.ts';
import { cpuSecondsOf, descendantsOf, memoryMibOf, programOf } from './process-tree.ts';

const MONITORS = 1_000;
const INTERVAL_SECONDS = 30;
const WINDOW_SECONDS = 90;
const IDLE_SECONDS = 30;
const FAILING = 10;

/** One of this number of monitors alerts a channel. */
const ALERTING_EVERY = 50;

/** Number of monitors in one request. */
const BATCH = 200;

const PROGRAMS = ['node', 'postgres', 'nats-server'];

type Figures = Readonly<Record<string, string>>;

/**
 * Compares an installation that runs 1,000 monitors every 30 s against a bare loop of node:http requests to the same
 * targets. The installation runs in one process, and then in separate processes. Measures processor time per check and
 * while idle, memory, the time from a failing response to the webhook, the deviation from the interval, and a restart
 * with all monitors.
 */
export async function benchFootprint(): Promise<void> {
  const table: Record<string, Figures> = { 'bare loop': await measureBare() };
  for (const processes of ['one', 'separate']) {
    await using target = await startTarget();
    await using stack = new AsyncDisposableStack();
    const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-footprint-'));
    stack.defer(() => removeNetwork(dataDir));
    const installation: Installation = { target, env: { TOCSIN_PROCESSES: processes }, dataDir };
    table[processes] = { ...(await measureProduct(installation)), ...(await measureRestart(installation)) };
  }
  console.table(table);
}

interface Installation {
  readonly target: Target;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the data, which survives a restart. */
  readonly dataDir: string;
}

async function measureBare(): Promise<Figures> {
  await using target = await startTarget();
  const child = fork(join(import.meta.dirname, 'footprint-bare.ts'));
  const rounds: BareRounds = { url: target.url, targets: MONITORS, intervalMs: INTERVAL_SECONDS * 1000 };
  child.send(rounds);
  await delay(INTERVAL_SECONDS * 1000);
  const window = await measureWindow(target, () => [child.pid ?? 0]);
  child.disconnect();
  await once(child, 'exit');
  return window;
}

async function measureProduct({ target, env, dataDir }: Installation): Promise<Figures> {
  const began = performance.now();
  await using network = await startNetwork(env, { dataDir });
  const readySeconds = (performance.now() - began) / 1000;
  const pids = () => descendantsOf(process.pid, [target.pid]);
  await delay(10_000);
  const idle = await cpuDuring(pids, IDLE_SECONDS);
  const added = performance.now();
  await addMonitors(network, target.url);
  const addSeconds = (performance.now() - added) / 1000;
  await delay(INTERVAL_SECONDS * 1000);
  await eventually(
    async () => {
      const results = await network.metric('monitor', 'tocsin_check_results_total');
      if (results < MONITORS) throw new Error(`${results} results are there`);
    },
    { timeoutMs: 60_000, intervalMs: 1_000 },
  );
  const window = await measureWindow(target, pids);
  // The first alerts of a process run code that has not been compiled yet.
  const firstAlerts = await measureAlerts(target, 0);
  const nextAlerts = await measureAlerts(target, 1);
  return {
    ...window,
    'idle (cores)': (sumOf(idle) / IDLE_SECONDS).toFixed(3),
    'idle of node / postgres / nats': PROGRAMS.map((program) =>
      ((idle.get(program) ?? 0) / IDLE_SECONDS).toFixed(3),
    ).join(' / '),
    [`failure to webhook, first ${FAILING}, p50 / max (ms)`]: firstAlerts,
    [`failure to webhook, next ${FAILING}, p50 / max (ms)`]: nextAlerts,
    [`${MONITORS} monitors added (s)`]: addSeconds.toFixed(1),
    'first start (s)': readySeconds.toFixed(1),
  };
}

/** Starts the installation again, and measures until each monitor was checked once. */
async function measureRestart({ target, env, dataDir }: Installation): Promise<Figures> {
  await target.ask({ do: 'report' });
  const began = performance.now();
  await using _network = await startNetwork(env, { dataDir });
  const readySeconds = (performance.now() - began) / 1000;
  const checked = new Set<string>();
  await eventually(
    async () => {
      const { checks } = (await target.ask({ do: 'report' })) as TargetReport;
      for (const number of Object.keys(checks)) checked.add(number);
      if (checked.size < MONITORS) throw new Error(`${checked.size} monitors were checked`);
    },
    { timeoutMs: 3 * INTERVAL_SECONDS * 1000, intervalMs: 100 },
  );
  const cpu = cpuByProgram(descendantsOf(process.pid, [target.pid]));
  return {
    'restart (s)': readySeconds.toFixed(1),
    'processor of the restart until all are checked (s)': sumOf(cpu).toFixed(1),
    'processor of the restart of node / postgres / nats': PROGRAMS.map((program) =>
      (cpu.get(program) ?? 0).toFixed(1),
    ).join(' / '),
  };
}

/** Lets some of the monitors with a channel fail, and measures the time from each failing response to its webhook. */
async function measureAlerts(target: Target, series: number): Promise<string> {
  const first = series * FAILING;
  const failing = Array.from({ length: FAILING }, (_, index) => (first + index) * ALERTING_EVERY);
  await target.ask({ do: 'fail', targets: failing });
  const { alerts } = await eventually(
    async () => {
      const report = (await target.ask({ do: 'report' })) as TargetReport;
      if (report.alerts.length < FAILING) throw new Error(`${report.alerts.length} alerts have arrived`);
      return report;
    },
    { timeoutMs: 60_000, intervalMs: 500 },
  );
  const sorted = alerts.toSorted((a, b) => a - b);
  return `${quantile(sorted, 0.5).toFixed(0)} / ${quantile(sorted, 1).toFixed(0)}`;
}

/** Adds the monitors in batches. Some of them alert a channel. */
async function addMonitors({ api }: Network, url: string): Promise<void> {
  for (let first = 0; first < MONITORS; first += BATCH) {
    const targets = Array.from({ length: BATCH }, (_, index) => first + index);
    const monitors = targets.map(async (target) => ({
      name: `Shop ${target}`,
      check_type: 'http',
      config: { url: `${url}/check/${target}` },
      interval_seconds: INTERVAL_SECONDS,
      confirm_down_minutes: 0,
      alert_channel_ids: target % ALERTING_EVERY === 0 ? [await addChannel(api, `${url}/hook/${target}`)] : [],
    }));
    await api.post('/monitors/batch', { monitors: await Promise.all(monitors) });
  }
}

async function addChannel(api: Network['api'], url: string): Promise<string> {
  const { id } = await api.post<{ id: string }>('/alert-channels', { name: url, type: 'webhook', config: { url } });
  return id;
}

/** Measures the processor time, the memory and the punctuality of processes that check all targets. */
async function measureWindow(target: Target, pids: () => number[]): Promise<Figures> {
  await target.ask({ do: 'report' });
  const cpu = await cpuDuring(pids, WINDOW_SECONDS);
  const { checks } = (await target.ask({ do: 'report' })) as TargetReport;
  const times = Object.values(checks);
  const count = times.reduce((sum, { length }) => sum + length, 0);
  const deviations = times.flatMap((at) =>
    at.slice(1).map((time, index) => Math.abs(time - (at[index] ?? 0) - INTERVAL_SECONDS * 1000)),
  );
  const sorted = deviations.toSorted((a, b) => a - b);
  return {
    checks: `${count} of ${(MONITORS * WINDOW_SECONDS) / INTERVAL_SECONDS}`,
    'processor per check (ms)': ((sumOf(cpu) * 1000) / count).toFixed(2),
    'of it node / postgres / nats': PROGRAMS.map((program) =>
      (((cpu.get(program) ?? 0) * 1000) / count).toFixed(2),
    ).join(' / '),
    'memory (MiB)': memoryMibOf(pids()).toFixed(0),
    'memory of node / postgres / nats': PROGRAMS.map((program) =>
      memoryMibOf(pids().filter((pid) => programOf(pid) === program)).toFixed(0),
    ).join(' / '),
    'deviation from the interval p50 / p99 / max (ms)': [0.5, 0.99, 1]
      .map((q) => quantile(sorted, q).toFixed(1))
      .join(' / '),
  };
}

/** Returns the processor seconds that processes use during a number of seconds, by program name. */
async function cpuDuring(pids: () => number[], seconds: number): Promise<Map<string, number>> {
  const before = cpuByProgram(pids());
  await delay(seconds * 1000);
  const after = cpuByProgram(pids());
  return new Map([...after].map(([program, cpu]) => [program, cpu - (before.get(program) ?? 0)]));
}

function cpuByProgram(pids: readonly number[]): Map<string, number> {
  const programs = [...Map.groupBy(pids, programOf)];
  return new Map(programs.map(([program, ofProgram]) => [program, cpuSecondsOf(ofProgram)]));
}

function sumOf(cpu: ReadonlyMap<string, number>): number {
  return cpu.values().reduce((sum, seconds) => sum + seconds, 0);
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

interface Target extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  ask(request: TargetRequest): Promise<unknown>;
}

async function startTarget(): Promise<Target> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'footprint-target.ts'));
  const ask = async (request: TargetRequest) => {
    child.send(request);
    const [answer] = await once(child, 'message');
    return answer;
  };
  const port = await ask({ do: 'listen' });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    ask,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
