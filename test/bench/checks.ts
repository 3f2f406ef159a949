import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import { type Issued, selfSigned } from '@tocsin/testing/certificates';
import pg from 'pg';
import { type Network, startNetwork } from '../network.ts';

/**
 * Monitors by scheme. A burst should take seconds, because up to half a second of it is the wait until the schedule is
 * read, and it must not take 15 s, because a job that waits longer is dropped.
 */
const MONITORS = { http: 8_000, https: 4_000 };
/** Maximum number of monitors in one request. */
const BATCH = 200;
const BURSTS = 5;
/** Bursts that are not counted, because the processes are warming up. */
const WARM_UP_BURSTS = 2;
/** Time until the other services have handled the state changes of the first burst, in milliseconds. */
const SETTLE_MS = 20_000;
const CONCURRENCY = 200;

/** Message to the target process. */
export interface CheckTarget {
  readonly tls: Issued | undefined;
}

/** Message to the baseline process. */
export interface BareChecks {
  readonly url: string;
  readonly count: number;
  readonly concurrency: number;
}

/** Duration and processor time of a burst of checks. */
export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Costs of the baseline: from its first request, and after WARM_UP_BURSTS. */
export interface BareCosts {
  readonly cold: Cost;
  readonly warm: Cost;
}

type Burst = Readonly<Record<'seconds' | 'checker' | 'monitor', number>>;

/**
 * Measures bursts of checks that are all due at once, until every result is stored and evaluated. The target, the
 * baseline and the product share the processors, so only rates per second of processor time are comparable.
 */
export async function benchChecks(): Promise<void> {
  const table: Record<string, Record<string, string>> = {};
  for (const [scheme, tls] of [
    ['http', undefined],
    ['https', await selfSigned(['localhost'])],
  ] as const) {
    await using target = await startTarget({ tls });
    const url = `${scheme}://127.0.0.1:${target.port}/`;
    await using network = await startNetwork({ TOCSIN_CHECKER_CONCURRENCY: String(CONCURRENCY) });
    const count = MONITORS[scheme];
    await createMonitors(network, url, count);
    const bare = await runBare({ url, count, concurrency: CONCURRENCY });
    const costs: Burst[] = [];
    for (let burst = 0; burst < BURSTS; burst += 1) {
      if (burst === WARM_UP_BURSTS) await sleep(SETTLE_MS);
      costs.push(await runBurst(network, count));
    }
    const counted = costs.slice(WARM_UP_BURSTS);
    const [checker, monitor] = (['checker', 'monitor'] as const).map((name) => median(counted, name));
    table[scheme] = {
      'end to end /s': (count / median(counted, 'seconds')).toFixed(0),
      'per checker core /s': (count / (checker ?? 0)).toFixed(0),
      'per monitor core /s': (count / (monitor ?? 0)).toFixed(0),
      'bare loop /s': (count / bare.warm.cpuSeconds).toFixed(0),
      'checker / bare': (bare.warm.cpuSeconds / (checker ?? 0)).toFixed(2),
      'cold bare loop /s': (count / bare.cold.cpuSeconds).toFixed(0),
      'checker / cold bare': (bare.cold.cpuSeconds / (checker ?? 0)).toFixed(2),
    };
  }
  console.table(table);
}

async function createMonitors({ api }: Network, url: string, count: number): Promise<void> {
  const monitor = { name: 'Shop', check_type: 'http', config: { url, verify_tls: false }, interval_seconds: 86_400 };
  const monitors = Array.from({ length: BATCH }, () => ({ ...monitor, alert_channel_ids: [] }));
  for (let made = 0; made < count; made += BATCH) await api.post('/monitors/batch', { monitors });
}

/**
 * Makes all monitors due now and waits until each has a result. Returns the elapsed seconds, and the processor seconds
 * that both services used.
 */
async function runBurst(network: Network, count: number): Promise<Burst> {
  const results = () => network.metric('monitor', 'tocsin_check_results_total');
  const cpu = (name: 'checker' | 'monitor') => network.metric(name, 'process_cpu_seconds_total');
  const before = { results: await results(), checker: await cpu('checker'), monitor: await cpu('monitor') };
  const client = new pg.Client({ connectionString: network.installation.postgres?.url });
  await client.connect();
  const began = performance.now();
  await client.query('update monitor.schedule set next_round_at = now()');
  await client.end();
  const until = { timeoutMs: 120_000, intervalMs: 50 };
  await eventually(async () => {
    if ((await results()) < before.results + count) throw new Error('not all results are there');
  }, until);
  return {
    seconds: (performance.now() - began) / 1000,
    checker: (await cpu('checker')) - before.checker,
    monitor: (await cpu('monitor')) - before.monitor,
  };
}

function median<Key extends string>(costs: readonly Record<Key, number>[], key: Key): number {
  const sorted = costs.map((cost) => cost[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function startTarget(target: CheckTarget): Promise<AsyncDisposable & { readonly port: number }> {
  const child = fork(join(import.meta.dirname, 'check-target.ts'));
  child.send(target);
  const [port] = await once(child, 'message');
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function runBare(checks: BareChecks): Promise<BareCosts> {
  const child = fork(join(import.meta.dirname, 'bare-checks.ts'));
  child.send(checks);
  const [costs] = await once(child, 'message');
  return costs;
}
