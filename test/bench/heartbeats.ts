import { Pool } from 'undici';
import type { Api } from '../api.ts';
import { type Network, startNetwork } from '../network.ts';

const MONITORS = 2_000;
/** Maximum number of pings per minute and token. */
const PINGS_EACH = 6;
const CONNECTIONS = 200;
const PARTS = ['gateway', 'monitor'] as const;

/**
 * Measures pings of heartbeat monitors. Each ping is stored durably before the response is sent. Throws if a ping is
 * rejected.
 */
export async function benchHeartbeats(): Promise<void> {
  await using network = await startNetwork();
  const paths = await createMonitors(network.api);
  const pool = new Pool(network.baseUrl, { connections: CONNECTIONS });
  const pings = Array.from({ length: PINGS_EACH }, () => paths).flat();
  const times: number[] = [];
  const before = await processorSeconds(network);
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let path = pings.pop(); path !== undefined; path = pings.pop()) {
        const start = performance.now();
        const { statusCode, body } = await pool.request({ method: 'GET', path });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`a ping was answered ${statusCode}: ${text}`);
        times.push(performance.now() - start);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const after = await processorSeconds(network);
  await pool.close();
  times.sort((a, b) => a - b);
  const quantile = (q: number) => `${(times[Math.floor(times.length * q)] ?? 0).toFixed(0)} ms`;
  const perCore = PARTS.map((part, index) => [
    `per ${part} core /s`,
    (times.length / ((after[index] ?? 0) - (before[index] ?? 0))).toFixed(0),
  ]);
  console.table({
    pings: {
      'end to end /s': (times.length / seconds).toFixed(0),
      p50: quantile(0.5),
      p99: quantile(0.99),
      ...Object.fromEntries(perCore),
    },
  });
}

async function createMonitors(api: Api): Promise<string[]> {
  const monitor = { name: 'Job', check_type: 'heartbeat', interval_seconds: 86_400, alert_channel_ids: [] };
  const paths: string[] = [];
  while (paths.length < MONITORS) {
    const created = Array.from({ length: 25 }, () => api.post<{ heartbeat_token: string }>('/monitors', monitor));
    paths.push(...(await Promise.all(created)).map(({ heartbeat_token: token }) => `/api/heartbeat/${token}`));
  }
  return paths;
}

function processorSeconds(network: Network): Promise<number[]> {
  return Promise.all(PARTS.map((part) => network.metric(part, 'process_cpu_seconds_total')));
}
