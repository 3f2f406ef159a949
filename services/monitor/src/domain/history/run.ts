import type { CheckResult } from '../rounds/check-result.ts';
import { limitsOf } from '../rounds/timetable.ts';

/** One round, and what became of it in each region. */
export interface Run {
  /** Identifies the round among those of its monitor; opaque to clients. */
  readonly id: string;
  readonly roundAt: Date;
  /** By region. */
  readonly results: readonly CheckResult[];
}

/** What distinguishes a region without a result from one that may still send it. */
export interface Expectation {
  readonly monitorId: string;
  readonly timeoutMs: number;
  /** Regions that every round expects a result from. */
  readonly regions: readonly string[];
  readonly now: Date;
}

/** Groups results by round. A region that has sent no result in time is listed as unknown. */
export function runsOf(times: readonly Date[], results: readonly CheckResult[], expected: Expectation): Run[] {
  const outcomes = Map.groupBy(results, ({ roundAt }) => roundAt.getTime());
  return times.map((roundAt) => {
    const given = outcomes.get(roundAt.getTime()) ?? [];
    const isOver = limitsOf(roundAt, expected.timeoutMs).deadline < expected.now;
    const silent = expected.regions.filter((region) => isOver && !given.some((result) => result.region === region));
    const all = [...given, ...silent.map((region) => silence(expected.monitorId, roundAt, region))];
    return { id: runIdOf(roundAt), roundAt, results: all.sort((a, b) => a.region.localeCompare(b.region)) };
  });
}

function runIdOf(roundAt: Date): string {
  return roundAt.getTime().toString(36);
}

/** The time of the round that an id names; undefined for what is no such id. */
export function roundOfRun(id: string): Date | undefined {
  return /^[0-9a-z]{1,9}$/.test(id) ? new Date(Number.parseInt(id, 36)) : undefined;
}

function silence(monitorId: string, roundAt: Date, region: string): CheckResult {
  return {
    monitorId,
    roundAt,
    region,
    outcome: 'unknown',
    error: 'no result',
    statusCode: undefined,
    phases: {},
    checkedAt: roundAt,
  };
}
