import { afterAll, beforeAll, expect, test } from 'vitest';
import { measure, print } from './noisy-neighbour/figures.ts';
import { attackNames, type Neighbourhood, startNeighbourhood } from './noisy-neighbour/neighbourhood.ts';

/**
 * The short form: every step of another organization's outage happens, and attackers get only documented statuses. The
 * duration of each step is tested on a quiet machine (test/long/noisy-neighbour.test.ts).
 */
const STEP_MS = 60_000;

/** A quarter of the audit's size. */
const SIZE = 0.25;
const LEAD_MS = 1_500;

/**
 * Allowed statuses for attackers: success, a refusal with a reason, or a timeout. 0 is a closed connection; an
 * overloaded machine may respond 503.
 */
const DOCUMENTED = ['0', '200', '201', '404', '408', '413', '422', '429', '503'];

const stack = new AsyncDisposableStack();
let neighbourhood: Neighbourhood;
beforeAll(async () => {
  neighbourhood = stack.use(await startNeighbourhood());
}, 240_000);
afterAll(() => stack.disposeAsync());

async function isServed(attacks: readonly string[]): Promise<void> {
  const figures = await measure(neighbourhood, { attacks, size: SIZE, leadMs: LEAD_MS, timeoutMs: STEP_MS });
  print([figures], await neighbourhood.memory());
  expect(figures.apiFailed.filter((status) => status !== 503)).toEqual([]);
  expect(figures.apiFailed.length).toBeLessThan(figures.apiCalls / 2);
  expect(Object.keys(figures.tally).filter((status) => !DOCUMENTED.includes(status))).toEqual([]);
}

test.each(attackNames)('an organization is served while another one attacks with: %s', { timeout: 300_000 }, (name) =>
  isServed([name]),
);

test('an organization is served while every attack is made at once', { timeout: 300_000 }, () => isServed(attackNames));
