import { setTimeout as sleep } from 'node:timers/promises';
import type { Neighbourhood } from './neighbourhood.ts';
import type { Outage } from './victim.ts';
import { sum, type Tally } from './world.ts';

/** Measured effects of an attack on another organization. */
export interface Figures extends Outage {
  readonly title: string;
  readonly apiP50Ms: number;
  readonly apiP99Ms: number;
  readonly apiCalls: number;
  /** Statuses of the victim's calls, except 200. */
  readonly apiFailed: readonly number[];
  /** Number of responses to the attackers, by status. */
  readonly tally: Tally;
}

export interface MeasureOptions {
  readonly title: string;
  /** Attacks of each hostile organization. */
  readonly attackers: readonly (readonly string[])[];
  /** Size of the attacks, relative to their size in the long test. */
  readonly size: number;
  /** Milliseconds for which the attacks run before the victim's target fails. */
  readonly leadMs: number;
  /** Time limit of each step of the victim's outage, in milliseconds. */
  readonly timeoutMs: number;
}

/** Interval of the victim's API calls, in milliseconds. */
const CALL_EVERY_MS = 100;

/** Makes the victim's target fail during concurrent attacks, and measures the effects on the victim. */
export async function measure(
  neighbourhood: Neighbourhood,
  { title, attackers, size, leadMs, timeoutMs }: MeasureOptions,
): Promise<Figures> {
  // Each measurement uses a new monitor, because a monitor that goes down repeatedly is disabled.
  await using victim = await neighbourhood.newVictim();
  const running = await Promise.all(attackers.map((attacks) => neighbourhood.attack(attacks, size)));
  const calls = victim.useApi(CALL_EVERY_MS);
  await sleep(leadMs);
  const outage = await victim.outage(timeoutMs);
  await calls[Symbol.asyncDispose]();
  const tallies = await Promise.all(running.map((one) => one.stop()));
  const sorted = calls.tookMs.toSorted((a, b) => a - b);
  return {
    title,
    ...outage,
    apiP50Ms: quantile(sorted, 0.5),
    apiP99Ms: quantile(sorted, 0.99),
    apiCalls: sorted.length,
    apiFailed: calls.failed,
    tally: sum(tallies),
  };
}

/** Prints a row for each attack, and the memory of each process. */
export function print(all: readonly Figures[], memory: ReadonlyMap<string, number>): void {
  const ms = (value: number) => `${Math.round(value)} ms`;
  console.table(
    Object.fromEntries(
      all.map((figures) => [
        figures.title,
        {
          check: ms(figures.checkMs),
          alert: ms(figures.alertMs),
          disruption: ms(figures.disruptionMs),
          page: ms(figures.pageMs),
          'API p50': ms(figures.apiP50Ms),
          'API p99': ms(figures.apiP99Ms),
          calls: figures.apiCalls,
          attacker: JSON.stringify(figures.tally),
        },
      ]),
    ),
  );
  console.table(
    Object.fromEntries([...memory].map(([name, mib]) => [name, { 'most memory': `${Math.round(mib)} MiB` }])),
  );
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
