import type { CheckResult } from '../rounds/check-result.ts';
import { limitsOf } from '../rounds/timetable.ts';

/** A round with its result in each region. */
export interface Run {
  /** Id of the round, unique for its monitor; opaque to clients. */
  readonly id: string;
  readonly roundAt: Date;
  /** Results of the round, sorted by region. */
  readonly results: readonly CheckResult[];
}

/** Values that determine whether a region's missing result may still arrive. */
export interface Expectation {
  readonly monitorId: string;
  readonly timeoutMs: number;
  /** Regions from which every round expects a result. */
  readonly regions: readonly string[];
  readonly now: Date;
}

/** Groups results by round. A region without a result after the deadline gets a result with outcome unknown. */
export function runsOf(times: readonly Date[], results: readonly CheckResult[], expected: Expectation): Run[] {
  const outcomes = Map.groupBy(results, ({ roundAt }) => roundAt.getTime());
  return times.map((roundAt) => {
    const given = outcomes.get(roundAt.getTime()) ?? [];
    const isOver = limitsOf(roundAt, expected.timeoutMs).deadline < expected.now;
    const silent = expected.regions.filter((region) => isOver && !given.some((result) => result.region === region));
    const all = [...given, ...silent.map((region) => missingResult(expected.monitorId, roundAt, region))];
    return { id: runIdOf(roundAt), roundAt, results: all.sort((a, b) => a.region.localeCompare(b.region)) };
  });
}

function runIdOf(roundAt: Date): string {
  return roundAt.getTime().toString(36);
}

/** Returns the time of the round that a run id identifies; undefined for an invalid id. */
export function roundOfRun(id: string): Date | undefined {
  return /^[0-9a-z]{1,9}$/.test(id) ? new Date(Number.parseInt(id, 36)) : undefined;
}

function missingResult(monitorId: string, roundAt: Date, region: string): CheckResult {
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
