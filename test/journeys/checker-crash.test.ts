import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';

const MONITORS = 1_000;

/** Long enough for all checks to be under way together. */
const ANSWER_MS = 12_000;

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let network: Network;
let url: string;
let requests = 0;
let open = 0;

beforeAll(async () => {
  const server = createServer((_, response) => {
    requests += 1;
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    setTimeout(() => response.end('fine'), ANSWER_MS);
  });
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`;
  network = stack.use(await startNetwork({ TOCSIN_CHECKER_CONCURRENCY: '2000' }));
});

test('a checker that is killed in the middle of 1,000 checks loses no round, and none counts twice', async () => {
  const { api } = network;
  const created = await Promise.all(
    Array.from({ length: MONITORS }, (_, index) =>
      api.post<{ id: string }>('/monitors', {
        name: `Shop ${index}`,
        check_type: 'http',
        config: { url },
        ...{ interval_seconds: 86_400, timeout_ms: 30_000, confirm_down_minutes: 0 },
      }),
    ),
  );
  await eventually(() => expect(open).toBeGreaterThan(MONITORS / 2), { timeoutMs: 30_000, intervalMs: 50 });
  network.kill('checker');
  const asked = requests;

  await eventually(
    async () => {
      const monitors = await api.get<{ current_state: string }[]>('/monitors');
      expect(monitors.filter(({ current_state: state }) => state === 'up')).toHaveLength(MONITORS);
    },
    { timeoutMs: 120_000, intervalMs: 1_000 },
  );
  // Some were really run again: the crash hit them.
  expect(requests).toBeGreaterThan(asked);
  for (const { id } of created) {
    const runs = await api.get<{ results: { outcome: string }[] }[]>(`/monitors/${id}/runs`);
    expect(runs.map(({ results }) => results.map(({ outcome }) => outcome))).toEqual([['pass']]);
  }
  const total = async (id: string) =>
    (await api.get<{ distribution: { total: number } }>(`/monitors/${id}/uptime`)).distribution.total;
  for (const { id } of created) expect(await total(id)).toBe(1);
});
