import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { apiOf, NAMESPACE, podsOfComponent, scale } from './installation.ts';

const installed = inject('installed');

/** Services that the gateway calls for the requests of this test, with their metrics ports. */
const shared = { monitor: 7202, statuspage: 7205 };

const REQUESTS = 1_000;

beforeAll(() => scale(2, Object.keys(shared)));
afterAll(() => scale(1));

/** Returns the number of calls that each replica has served, by its address. */
async function callsOf(name: keyof typeof shared, method: string): Promise<Record<string, number>> {
  const calls: Record<string, number> = {};
  for (const { status } of await podsOfComponent(NAMESPACE, name)) {
    const response = await fetch(`http://${status.podIP}:${shared[name]}/metrics`);
    const lines = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith('tocsin_rpc_server_seconds_count'));
    const counts = lines.filter((line) => line.includes(`/${method}"`)).map((line) => Number(line.split(' ').at(-1)));
    calls[status.podIP] = counts.reduce((sum, count) => sum + count, 0);
  }
  return calls;
}

test('two replicas of a service each get 40 to 60 % of the calls', async () => {
  const api = apiOf(installed);
  const calls = { monitor: ['/monitors', 'ListMonitors'], statuspage: ['/status-pages', 'ListStatusPages'] } as const;
  for (const name of ['monitor', 'statuspage'] as const) {
    const [path, method] = calls[name];
    // The gateway looks for new replicas at intervals.
    await eventually(
      async () => {
        await api.get(path);
        expect(Object.values(await callsOf(name, method)).filter((count) => count > 0)).toHaveLength(2);
      },
      { timeoutMs: 60_000, intervalMs: 100 },
    );
    const before = await callsOf(name, method);
    for (let sent = 0; sent < REQUESTS; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, () => api.get(path)));
    }
    const after = await callsOf(name, method);
    const served = Object.entries(after).map(([address, count]) => count - (before[address] ?? 0));
    expect(served.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(REQUESTS);
    const shares = served.map((count) => count / REQUESTS);
    process.stdout.write(`${name}: ${served.join(' and ')} of ${REQUESTS} calls\n`);
    for (const share of shares) expect(Math.abs(share - 0.5)).toBeLessThanOrEqual(0.1);
  }
});
