import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Figures, measure, print } from '../journeys/noisy-neighbour/figures.ts';
import { attackNames, type Neighbourhood, startNeighbourhood } from '../journeys/noisy-neighbour/neighbourhood.ts';

/** Limits for the effects of the attacks of an organization on other organizations. */
const ONE_HOSTILE = { checkMs: 1_000, alertMs: 1_000, apiP99Ms: 250 };

/** Limits for the effects of twelve hostile organizations at once. They need more than two cores. */
const TWELVE_HOSTILE = { checkMs: 3_000, alertMs: 5_000, apiP99Ms: 1_000 };

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

async function isServed(title: string, attackers: readonly (readonly string[])[], limits = ONE_HOSTILE): Promise<void> {
  const figures = await measure(neighbourhood, { title, attackers, size: 1, leadMs: LEAD_MS, timeoutMs: 60_000 });
  all.push(figures);
  print([figures], await neighbourhood.memory());
  expect.soft(figures.checkMs).toBeLessThan(limits.checkMs);
  expect.soft(figures.alertMs).toBeLessThan(limits.alertMs);
  expect.soft(figures.apiP99Ms).toBeLessThan(limits.apiP99Ms);
  expect.soft(figures.apiFailed).toEqual([]);
}

test('an organization is served in time while no attack runs', () => isServed('none', []));

test.each(attackNames)('other organizations are served in time during the attack %s', async (name) => {
  await isServed(name, [[name]]);
});

test('an organization is served in time while another one runs all attacks at once', async () => {
  await isServed('all by one organization', [attackNames]);
});

test('an organization is served while each attack runs at once, by an organization of its own', async () => {
  const attackers = attackNames.map((name) => [name]);
  await isServed('each by an organization of its own', attackers, TWELVE_HOSTILE);
});

test('no process uses more than 512 MiB', async () => {
  const memory = await neighbourhood.memory();
  print(all, memory);
  for (const [name, mib] of memory) expect.soft(mib, name).toBeLessThan(MEMORY_MIB);
});
