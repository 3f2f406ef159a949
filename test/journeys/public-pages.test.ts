import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasSeparateProcesses, startNetwork, type Victim } from '../network.ts';
import { startReceiver } from '../receiver.ts';
import { startTarget } from '../target.ts';
import { notifyLiveVisitors } from './live-visitors.ts';
import { openShop, type Shop } from './shop.ts';

const stack = new AsyncDisposableStack();
const receiver = stack.use(await startReceiver());
const target = stack.use(await startTarget());
// The gateway sends a stored page for only 2 s before it requests the page again, so it soon detects that a service is
// down.
const network = stack.use(await startNetwork({ TOCSIN_PAGE_MAX_AGE_S: '2' }));
afterAll(() => stack.disposeAsync());

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(network, target, receiver);
  await eventually(async () => expect(await shop.state()).toBe('up'));
  await eventually(async () => expect(await shop.page()).toContain('All systems operational'));
});

interface Seen {
  readonly at: number;
  readonly status: number;
  readonly isCurrent: boolean;
}

/** Views the page 100 times a second until disposed. A view that fails has the status 0. */
function startReader() {
  const agent = new Agent({ connections: 50 });
  const seen: Seen[] = [];
  const running = new Set<Promise<void>>();
  async function view(): Promise<void> {
    try {
      const { statusCode: status, body } = await request(`${network.baseUrl}/s/${shop.slug}`, { dispatcher: agent });
      const isCurrent = (await body.text()).includes('class="card as-of" role="status" hidden');
      seen.push({ at: Date.now(), status, isCurrent });
    } catch {
      seen.push({ at: Date.now(), status: 0, isCurrent: false });
    }
  }
  const timer = setInterval(() => {
    const one = view().finally(() => running.delete(one));
    running.add(one);
  }, 10);
  return {
    seen,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(running);
      await agent.close();
    },
  };
}

async function isReady(process: string): Promise<boolean> {
  const url = `http://${network.installation.bootstrap.admin[process]}/readyz`;
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

const DOWN_MS = 8_000;

/** Name, processes that are down, and whether the reader can notice that they are. */
type Outage = [string, Victim[], boolean];

const outagesOfServers: Outage[] = [
  ['PostgreSQL', ['postgres'], true],
  ['NATS', ['nats'], false],
];

/**
 * Outages of services while the gateway runs. They exist only if each service has a process of its own. In the one
 * process, no service can be down alone: the gateway, which sends the stored page, would be down as well.
 */
const outagesOfServices: Outage[] = [
  ['statuspage', ['statuspage'], true],
  ['monitor', ['monitor'], false],
  ['disruption', ['disruption'], false],
  ['everything but the gateway', ['statuspage', 'postgres', 'nats', 'monitor', 'disruption'], true],
];

test.each(hasSeparateProcesses ? [...outagesOfServers, ...outagesOfServices] : outagesOfServers)(
  'while %s is down, a reader gets the stored page, and soon after the recovery a current page',
  async (_, victims, isNoticed) => {
    await eventually(async () => expect(await isReady('statuspage')).toBe(true), { timeoutMs: 60_000 });
    await eventually(async () => expect(await shop.page()).toMatch(/as-of" role="status" hidden/));
    await using reader = startReader();
    const until = Date.now() + DOWN_MS;
    while (Date.now() < until) {
      for (const victim of victims) network.kill(victim);
      await sleep(100);
    }
    await eventually(async () => expect(await isReady('statuspage')).toBe(true), { timeoutMs: 60_000 });
    const back = Date.now();
    await eventually(() => expect(reader.seen.at(-1)?.isCurrent).toBe(true));
    await sleep(1_000);

    const statuses = Map.groupBy(reader.seen, ({ status }) => status);
    expect([...statuses.keys()]).toEqual([200]);
    expect(reader.seen.length).toBeGreaterThan(DOWN_MS / 20);
    const outdated = reader.seen.filter(({ isCurrent }) => !isCurrent);
    if (isNoticed) expect(outdated.length).toBeGreaterThan(0);
    else expect(outdated.length).toBeLessThan(reader.seen.length / 2);
    const lateMs = Math.max(0, (outdated.at(-1)?.at ?? 0) - back);
    console.log(
      `views: ${reader.seen.length}, of them outdated: ${outdated.length}; current ${lateMs} ms after the return`,
    );
    expect(lateMs).toBeLessThan(5_000);
  },
);

test('visitors to an open page are notified of an outage and its recovery within two seconds of the state change', async () => {
  for (const process of ['monitor', 'disruption', 'statuspage']) {
    await eventually(async () => expect(await isReady(process)).toBe(true), { timeoutMs: 60_000 });
  }
  await eventually(async () => expect(await shop.page()).toContain('All systems operational'), { timeoutMs: 60_000 });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => target.repair());
  const events = await request(`${network.baseUrl}/s/${shop.slug}/events`);
  cleanup.defer(() => void events.body.destroy());
  let changes = 0;
  events.body.on('data', (chunk: Buffer) => {
    changes += chunk.toString().split('event: page').length - 1;
  });
  events.body.on('error', () => undefined);
  await eventually(() => expect(changes).toBeGreaterThan(0));

  for (const [change, state, text] of [
    [target.break, 'down', 'Major outage'],
    [target.repair, 'up', 'All systems operational'],
  ] as const) {
    change.call(target);
    await shop.nudge();
    await eventually(async () => expect(await shop.state()).toBe(state), { timeoutMs: 60_000 });
    const decided = Date.now();
    await eventually(
      async () => {
        const before = changes;
        expect(await shop.page()).toContain(text);
        expect(before).toBeGreaterThan(1);
      },
      { timeoutMs: 2_000 },
    );
    console.log(`the page shows ${state} ${Date.now() - decided} ms after the state`);
    changes = 1;
  }
});

test('500 visitors to an open page are notified of a change', async () => {
  await eventually(async () => expect(await isReady('gateway')).toBe(true), { timeoutMs: 60_000 });
  const { memoryBefore, memoryWith, receivedMs } = await notifyLiveVisitors(network, 500);
  expect(memoryWith - memoryBefore).toBeLessThan(150);
  expect(receivedMs).toBeLessThan(5_000);
});
