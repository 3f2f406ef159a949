import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { CheckResult } from '@tocsin/proto/monitor/v1/checks';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Observation } from '../src/domain/observation.ts';
import { type Order, startRegion } from './start-checker.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let region: Awaited<ReturnType<typeof startRegion>>;
let url: string;

beforeAll(async () => {
  region = stack.use(await startRegion());
  const server = stack.use(createServer((_, response) => setTimeout(() => response.end(), 20)));
  url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`;
});

test('thousands of checks of one organization do not delay three checks of another organization', async () => {
  const ofLarge = Array.from({ length: 3_000 }, (_, index) => `large ${index}`);
  const ofSmall = ['small 0', 'small 1', 'small 2'];
  await region.send(...ofLarge.map((monitorId) => ({ monitorId, organizationId: 'large', url })));
  await region.send(...ofSmall.map((monitorId) => ({ monitorId, organizationId: 'small', url })));
  await using _checker = await region.startChecker({ concurrency: 40 });
  await eventually(() => expect(region.results).toHaveLength(3_003), { timeoutMs: 60_000 });
  const order = region.results.map(({ monitorId }) => monitorId);
  // All jobs were queued before any ran, so the small organization's jobs run soon after the jobs that got the first
  // slots.
  expect(Math.max(...ofSmall.map((monitorId) => order.indexOf(monitorId)))).toBeLessThan(1_500);
  expect(new Set(order).size).toBe(3_003);
  await eventually(async () => expect(await region.unanswered()).toBe(0));
});

test('synthetic checks and http checks have separate slots', async () => {
  const { promise: never, resolve: release } = Promise.withResolvers<void>();
  const seen: Observation = { outcome: 'pass', error: '', phases: {} };
  await using _checker = await region.startChecker(
    { concurrency: 40, browsers: 2 },
    { http: async () => seen, synthetic: () => never.then(() => seen) },
  );
  const before = region.results.length;
  await region.send(
    ...Array.from({ length: 50 }, (_, index) => ({ monitorId: `script ${index}`, checkType: 'synthetic' as const })),
  );
  await region.send(...Array.from({ length: 50 }, (_, index) => ({ monitorId: `page ${index}`, url })));
  await eventually(() => expect(region.results).toHaveLength(before + 50));
  expect(region.results.slice(before).every(({ monitorId }) => monitorId.startsWith('page'))).toBe(true);
  release();
  await eventually(() => expect(region.results).toHaveLength(before + 100));
});

/**
 * Sends a round of jobs every two seconds, with one job per order. A check that has not started when the next round is
 * sent is dropped.
 */
async function runRounds(count: number, orders: readonly Order[]): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    await region.send(...orders.map((order) => ({ ...order, startBefore: new Date(Date.now() + 2_000) })));
    await pause(2_000);
  }
}

const resultsOf = (prefix: string) => region.results.filter(({ monitorId }) => monitorId.startsWith(prefix));

test('260 http monitors of one organization whose targets never respond do not delay the checks of another organization', async () => {
  const silent = stack.use(createTcpServer(() => {}));
  const silentUrl = `http://127.0.0.1:${await listen(silent, '127.0.0.1', 0)}/`;
  const hostile = Array.from({ length: 260 }, (_, index) => ({
    monitorId: `hanging ${index}`,
    organizationId: 'hostile',
    url: silentUrl,
    timeoutMs: 8_000,
  }));
  const victim = { monitorId: 'victim page', organizationId: 'victim', url };
  {
    await using _checker = await region.startChecker();
    await runRounds(5, [...hostile, victim]);
    await eventually(() => expect(resultsOf('victim page')).toHaveLength(5));
    expect(Math.max(...resultsOf('victim page').map(lagMs))).toBeLessThan(1_000);
  }
  silent.close();
}, 180_000);

test('six hanging scripts of one organization do not delay the scripts of another organization', async () => {
  const seen: Observation = { outcome: 'pass', error: '', phases: {} };
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const hanging = (timeoutMs: number) => Promise.race([pause(timeoutMs, undefined, { ref: false }), stopped]);
  // A probe that replaces Chromium and uses a slot for as long as a script would.
  const synthetic = async (configJson: string, timeoutMs: number): Promise<Observation> => {
    if (!configJson.includes('hang')) return seen;
    await hanging(timeoutMs);
    return { ...seen, outcome: 'timeout', error: 'not done' };
  };
  const hostile = Array.from({ length: 6 }, (_, index) => ({
    monitorId: `script ${index} that hangs`,
    organizationId: 'hostile',
    url: 'hang',
    timeoutMs: 60_000,
    checkType: 'synthetic' as const,
  }));
  const victim = { monitorId: 'victim script', organizationId: 'victim', checkType: 'synthetic' as const };
  await using _checker = await region.startChecker({ browsers: 2 }, { synthetic });
  await runRounds(4, [...hostile, victim]);
  await eventually(() => expect(resultsOf('victim script')).toHaveLength(4));
  expect(Math.max(...resultsOf('victim script').map(lagMs))).toBeLessThan(1_000);
  stop();
}, 180_000);

/** Returns the milliseconds between a round's time and the start of its check. */
function lagMs({ roundAt, result }: CheckResult): number {
  const [from, to] = [roundAt, result?.checkedAt].map((time) => (time ? timestampDate(time).getTime() : Number.NaN));
  return (to ?? Number.NaN) - (from ?? Number.NaN);
}
