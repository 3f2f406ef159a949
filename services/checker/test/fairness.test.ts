import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Observation } from '../src/domain/observation.ts';
import { startRegion } from './start-checker.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let region: Awaited<ReturnType<typeof startRegion>>;
let url: string;

beforeAll(async () => {
  region = stack.use(await startRegion());
  const server = stack.use(createServer((_, response) => setTimeout(() => response.end(), 20)));
  url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`;
});

test('an organization with thousands of checks does not delay one with three', async () => {
  const ofLarge = Array.from({ length: 3_000 }, (_, index) => `large ${index}`);
  const ofSmall = ['small 0', 'small 1', 'small 2'];
  await region.send(...ofLarge.map((monitorId) => ({ monitorId, organizationId: 'large', url })));
  await region.send(...ofSmall.map((monitorId) => ({ monitorId, organizationId: 'small', url })));
  await using _checker = await region.startChecker({ concurrency: 10 });
  await eventually(() => expect(region.results).toHaveLength(3_003), { timeoutMs: 60_000 });
  const order = region.results.map(({ monitorId }) => monitorId);
  // All were waiting before any was run: the three take the places of the first turns, behind what had begun when they
  // came.
  expect(Math.max(...ofSmall.map((monitorId) => order.indexOf(monitorId)))).toBeLessThan(1_500);
  expect(new Set(order).size).toBe(3_003);
  await eventually(async () => expect(await region.unanswered()).toBe(0));
});

test('synthetic checks, which take long, do not take the places of others', async () => {
  const { promise: never, resolve: release } = Promise.withResolvers<void>();
  const seen: Observation = { outcome: 'pass', error: '', phases: {} };
  await using _checker = await region.startChecker(
    { concurrency: 5, browsers: 2 },
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
