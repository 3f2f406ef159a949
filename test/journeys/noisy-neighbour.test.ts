import { afterAll, beforeAll, expect, test } from 'vitest';
import { measure, print } from './noisy-neighbour/figures.ts';
import { attackNames, type Neighbourhood, startNeighbourhood } from './noisy-neighbour/neighbourhood.ts';

/**
 * Time limit for each step of the victim's outage. It is generous, because this test may run on a busy machine. The
 * long test (test/long/noisy-neighbour.test.ts) has shorter limits and needs a quiet machine.
 */
const STEP_MS = 60_000;

/** Size of the attacks: a quarter of the size in the long test. */
const SIZE = 0.25;
const LEAD_MS = 1_500;

/**
 * Statuses that attackers may get: success, a documented error, or a timeout. 0 is a closed connection. The
 * installation may respond with 503 if the machine is overloaded.
 */
const DOCUMENTED = ['0', '200', '201', '404', '408', '413', '422', '429', '503'];

const stack = new AsyncDisposableStack();
let neighbourhood: Neighbourhood;
beforeAll(async () => {
  neighbourhood = stack.use(await startNeighbourhood());
}, 240_000);
afterAll(() => stack.disposeAsync());

async function isServed(title: string, attackers: readonly (readonly string[])[]): Promise<void> {
  const figures = await measure(neighbourhood, { title, attackers, size: SIZE, leadMs: LEAD_MS, timeoutMs: STEP_MS });
  print([figures], await neighbourhood.memory());
  expect(figures.apiFailed.filter((status) => status !== 503)).toEqual([]);
  expect(figures.apiFailed.length).toBeLessThan(figures.apiCalls / 2);
  expect(Object.keys(figures.tally).filter((status) => !DOCUMENTED.includes(status))).toEqual([]);
}

test.each(attackNames)(
  'an organization is served while another organization runs the attack "%s"',
  { timeout: 300_000 },
  (name) => isServed(name, [[name]]),
);

test('an organization is served while another one runs all attacks at once', { timeout: 300_000 }, () =>
  isServed('all by one organization', [attackNames]),
);

test(
  'an organization is served while each attack runs at once, by an organization of its own',
  {
    timeout: 300_000,
  },
  () =>
    isServed(
      'each by an organization of its own',
      attackNames.map((name) => [name]),
    ),
);
