import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  // All were waiting before any was run: the three take the places of the first turns, behind what had begun when they came.
  expect(Math.max(...ofSmall.map((monitorId) => order.indexOf(monitorId)))).toBeLessThan(1_500);
  expect(new Set(order).size).toBe(3_003);
  await eventually(async () => expect(await region.unanswered()).toBe(0));
});
