import { CUTS, type Disturbance, type Fault, type FaultKind, type Link, type Program, type Server } from './fault.ts';

export interface ScheduleOptions {
  readonly count: number;
  readonly programs: readonly Program[];
  readonly links: readonly Link[];
  /** Kinds of faults, each with its relative frequency. */
  readonly weights: Readonly<Partial<Record<FaultKind, number>>>;
  /** Minimum and maximum milliseconds between the starts of two consecutive faults. */
  readonly everyMs: readonly [number, number];
}

/** Maximum number of faults at the same time. */
export const AT_ONCE = 3;

const HOUR_MS = 3_600_000;

/** Minimum and maximum duration of a fault, in milliseconds. */
const LASTS_MS: Readonly<Record<FaultKind, readonly [number, number]>> = {
  kill: [0, 0],
  pause: [1_000, 10_000],
  cut: [2_000, 20_000],
  clock: [2_000, 20_000],
  'full disk': [3_000, 12_000],
  'lost store': [0, 0],
};

const SERVERS: readonly Server[] = ['postgres', 'nats'];

/**
 * Plans faults, in the order of their starts. The same random numbers result in the same plan. At most AT_ONCE faults
 * last at the same time. Each process, link, clock or disk is disturbed by at most one fault at a time.
 */
export function planFaults(options: ScheduleOptions, random: () => number): Fault[] {
  const between = ([least, most]: readonly [number, number]) => Math.round(least + random() * (most - least));
  const faults: Fault[] = [];
  let startMs = 0;
  while (faults.length < options.count) {
    startMs += between(options.everyMs);
    const disturbance = pickDisturbance(options, random);
    const lastsMs = between(LASTS_MS[disturbance.kind]);
    const lasting = faults.filter((fault) => endOf(fault) > startMs);
    const isTaken = lasting.some((fault) => places(fault.disturbance).some((at) => places(disturbance).includes(at)));
    if (isTaken || lasting.length >= AT_ONCE) continue;
    faults.push({ startMs, lastsMs, disturbance });
  }
  return faults;
}

export function endOf({ startMs, lastsMs }: Fault): number {
  return startMs + lastsMs;
}

function pickDisturbance({ programs, links, weights }: ScheduleOptions, random: () => number): Disturbance {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const kind = pick(
    Object.entries(weights).flatMap(([kind, weight]) => Array<FaultKind>(weight).fill(kind as FaultKind)),
  );
  switch (kind) {
    case 'kill':
    case 'pause':
      return { kind, victim: pick([...programs, ...SERVERS]) };
    case 'cut':
      return { kind, link: pick(links), cut: pick(CUTS) };
    case 'clock':
      // The clock is wrong either for one program, as on a separate host, or for all programs, as on a shared host.
      return { kind, victims: random() < 0.25 ? programs : [pick(programs)], byMs: pick([HOUR_MS, -HOUR_MS]) };
    case 'full disk':
      return { kind, victim: pick(SERVERS) };
    case 'lost store':
      return { kind };
    default:
      return kind satisfies never;
  }
}

/** Returns the processes, links, clocks and disks that a disturbance affects. */
function places(disturbance: Disturbance): string[] {
  switch (disturbance.kind) {
    case 'kill':
    case 'pause':
      return [`process ${disturbance.victim}`];
    case 'cut':
      return [`link ${disturbance.link.from} ${disturbance.link.to}`];
    case 'clock':
      return disturbance.victims.map((victim) => `clock ${victim}`);
    case 'full disk':
      return [`disk ${disturbance.victim}`, `process ${disturbance.victim}`];
    case 'lost store':
      return ['disk nats', 'process nats'];
  }
}
