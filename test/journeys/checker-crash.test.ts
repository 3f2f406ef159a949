import { createServer, type ServerResponse } from 'node:http';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, separateProcesses, startNetwork } from '../network.ts';

const MONITORS = 500;
const AT_ONCE = 25;
const timing = { timeoutMs: 150_000, intervalMs: 500 };

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let network: Network;
let url: string;
/** Responses that the target delays. If undefined, the target responds at once. */
let held: ServerResponse[] | undefined;

beforeAll(async () => {
  const server = createServer((_, response) => void (held ? held.push(response) : response.end('fine')));
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`;
  // One organization may use a quarter of these slots.
  network = stack.use(await startNetwork({ ...separateProcesses, TOCSIN_CHECKER_CONCURRENCY: '4000' }));
});

/** Makes every monitor due now. */
async function startAllRounds(): Promise<void> {
  const client = new pg.Client({ connectionString: network.installation.postgres?.url });
  await client.connect();
  await client.query('update monitor.schedule set next_round_at = now()');
  await client.end();
}

test('after a checker is killed during 500 checks, every round has one result, and none is counted twice', async () => {
  const { api } = network;
  const monitor = {
    name: 'Shop',
    check_type: 'http',
    config: { url },
    interval_seconds: 86_400,
    // The deadline for the results of a round depends on this timeout, and results after the deadline are not counted.
    // The timeout is therefore long enough for a restart of the checker on a busy machine.
    timeout_ms: 60_000,
    confirm_down_minutes: 0,
  };
  const ids: string[] = [];
  while (ids.length < MONITORS) {
    const created = Array.from({ length: AT_ONCE }, () => api.post<{ id: string }>('/monitors', monitor));
    ids.push(...(await Promise.all(created)).map(({ id }) => id));
  }
  const counted = () => network.metric('monitor', 'tocsin_check_results_total');
  // The count is higher if some monitors have already had a regular round.
  await eventually(async () => expect(await counted()).toBeGreaterThanOrEqual(MONITORS), timing);
  const countedBefore = await counted();

  const open: ServerResponse[] = [];
  held = open;
  await startAllRounds();
  await eventually(() => expect(open.length).toBeGreaterThan(MONITORS / 2), timing);
  network.kill('checker');
  held = undefined;

  await eventually(async () => expect(await counted()).toBeGreaterThanOrEqual(countedBefore + MONITORS), timing);
  for (const id of ids) {
    // A monitor has a third round if its regular round was due during the test.
    const runs = await eventually(async () => {
      const found = await api.get<{ results: { outcome: string }[] }[]>(`/monitors/${id}/runs`);
      expect(found.length).toBeGreaterThanOrEqual(2);
      return found;
    }, timing);
    for (const { results } of runs) expect(results).toMatchObject([{ outcome: 'pass' }]);
    const { distribution } = await api.get<{ distribution: object }>(`/monitors/${id}/uptime`);
    expect(distribution).toMatchObject({ pass: runs.length, total: runs.length });
  }
  const monitors = await api.get<{ current_state: string }[]>('/monitors');
  expect(monitors.filter(({ current_state: state }) => state === 'up')).toHaveLength(MONITORS);
}, 400_000);
