import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Figures, measure, print } from '../journeys/noisy-neighbour/figures.ts';
import { attackNames, type Neighbourhood, startNeighbourhood } from '../journeys/noisy-neighbour/neighbourhood.ts';

/** Limits for the effects of an attack on other organizations. */
const CHECK_MS = 1_000;
const ALERT_MS = 1_000;
const API_P99_MS = 250;
const MEMORY_MIB = 512;

/**
 * Milliseconds from the start of an attack until the target of the measured organization fails. Long enough for a
 * second round of hanging checks and for the timeout of slow bodies.
 */
const LEAD_MS = 35_000;

const stack = new AsyncDisposableStack();
let neighbourhood: Neighbourhood;
const all: Figures[] = [];
beforeAll(async () => {
  neighbourhood = stack.use(await startNeighbourhood());
}, 240_000);
afterAll(() => stack.disposeAsync());

async function isServed(attacks: readonly string[]): Promise<void> {
  const figures = await measure(neighbourhood, { attacks, size: 1, leadMs: LEAD_MS, timeoutMs: 60_000 });
  all.push(figures);
  print([figures], await neighbourhood.memory());
  expect.soft(figures.checkMs).toBeLessThan(CHECK_MS);
  expect.soft(figures.alertMs).toBeLessThan(ALERT_MS);
  expect.soft(figures.apiP99Ms).toBeLessThan(API_P99_MS);
  expect.soft(figures.apiFailed).toEqual([]);
}

test('an organization is served in time while no attack runs', () => isServed([]));

test.each(attackNames)('other organizations are served in time during the attack %s', async (name) => {
  await isServed([name]);
});

test('an organization is served in time while all attacks run at once', async () => {
  await isServed(attackNames);
});

test('no process uses more than 512 MiB', async () => {
  const memory = await neighbourhood.memory();
  print(all, memory);
  for (const [name, mib] of memory) expect.soft(mib, name).toBeLessThan(MEMORY_MIB);
});
