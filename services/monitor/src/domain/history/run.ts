import type { CheckResult } from '../rounds/check-result.ts';
import { limitsOf } from '../rounds/timetable.ts';

/** One round, and what became of it in each region. */
export interface Run {
  /** Names the round among those of its monitor; nobody but us has to read it. */
  readonly id: string;
  readonly roundAt: Date;
  /** By region. */
  readonly results: readonly CheckResult[];
}

/** What has to be known of a monitor to tell a silent region from one that may still answer. */
export interface Expectation {
  readonly monitorId: string;
  readonly timeoutMs: number;
  /** Regions that owe an answer to every round. */
  readonly regions: readonly string[];
  readonly now: Date;
}

/** Puts results into their rounds. A region that owed an answer, and has not given it in time, is there as unknown. */
export function runsOf(times: readonly Date[], results: readonly CheckResult[], expected: Expectation): Run[] {
  const answers = Map.groupBy(results, ({ roundAt }) => roundAt.getTime());
  return times.map((roundAt) => {
    const given = answers.get(roundAt.getTime()) ?? [];
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
    ...{ monitorId, roundAt, region },
    outcome: 'unknown',
    error: 'no answer',
    statusCode: undefined,
    phases: {},
    checkedAt: roundAt,
  };
}
