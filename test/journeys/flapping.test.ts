import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import type { Target } from '../target.ts';
import { allHeard } from './all-heard.ts';
import { openShop, type Shop } from './shop.ts';

const stack = new AsyncDisposableStack();
let network: Network;
let receiver: Receiver;
beforeAll(async () => {
  receiver = stack.use(await startReceiver());
  network = stack.use(await startNetwork());
});
afterAll(() => stack.disposeAsync());

const timing = { timeoutMs: 60_000, intervalMs: 100 };
const ROUNDS = 9;

/** Starts a target that fails every second check. */
async function startFlappingTarget(): Promise<Pick<Target, 'url'>> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(requests % 2 === 0 ? 502 : 200).end();
  });
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/` };
}

/** Runs the given number of check rounds of the monitor, one after the other. */
async function letRun({ monitorId, nudge }: Shop, rounds: number): Promise<void> {
  const run = async () => (await network.api.get<unknown[]>(`/monitors/${monitorId}/runs`)).length;
  for (let round = 0; round < rounds; round += 1) {
    const before = await run();
    await nudge();
    await eventually(async () => expect(await run()).toBeGreaterThan(before), timing);
  }
}

const states = async ({ monitorId }: Shop) =>
  (await network.api.get<{ state: string }[]>(`/monitors/${monitorId}/transitions`))
    .map(({ state }) => state)
    .reverse();

const alerts = ({ slug }: Shop) => receiver.alerts(`/${slug}/hook`).map(({ body }) => body.event);

test('a target that fails in every second round causes a disruption for each outage, and an alert for each state change', async () => {
  const shop = await openShop(network, await startFlappingTarget(), receiver);
  await letRun(shop, ROUNDS);
  await network.api.patch(`/monitors/${shop.monitorId}`, { enabled: false });
  await allHeard(network);

  const [first, ...changes] = await states(shop);
  expect(first).toBe('up');
  expect(changes).toEqual(changes.map((_, index) => (index % 2 === 0 ? 'down' : 'up')));
  expect(changes.length).toBeGreaterThanOrEqual(ROUNDS - 1);
  const published = changes.map((state) => (state === 'down' ? 'monitor_down' : 'monitor_recovered'));
  await eventually(() => expect(alerts(shop)).toEqual(published), timing);
  const disruptions = await shop.disruptions();
  expect(disruptions).toHaveLength(changes.filter((state) => state === 'down').length);
  expect(disruptions.map(({ status }) => status)).toEqual(disruptions.map(() => 'resolved'));
});

test('a monitor stays up, without alerts, if each failure of its target is shorter than the confirmation time', async () => {
  const shop = await openShop(network, await startFlappingTarget(), receiver);
  await network.api.patch(`/monitors/${shop.monitorId}`, { confirm_down_minutes: 1 });
  await letRun(shop, ROUNDS);
  await allHeard(network);
  expect(await states(shop)).toEqual(['up']);
  expect(await shop.disruptions()).toEqual([]);
  expect(alerts(shop)).toEqual([]);
});
