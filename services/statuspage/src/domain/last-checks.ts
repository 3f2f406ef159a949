/** Last decided round of a monitor, and how often it has one. */
export interface LastRound {
  /** Undefined if there is none yet. */
  readonly at: Date | undefined;
  /** Time since which rounds are expected. */
  readonly expectedSince: Date;
  readonly intervalSeconds: number;
}

/** Last rounds of the monitors of a page, as far as they are known. */
export interface LastRounds {
  /** Rounds of enabled monitors, by monitor id. */
  readonly rounds: ReadonlyMap<string, LastRound>;
  /** Time since which the monitor service can't be reached; undefined if it can. */
  readonly unreachableSince: Date | undefined;
}

/**
 * What a page says about the last checks of its monitors: when the last one was; since when there was none, although
 * checks are expected; since when it is not known; or nothing, because no monitor is checked.
 */
export type LastChecks =
  | { readonly kind: 'checked'; readonly at: Date }
  | { readonly kind: 'stopped'; readonly since: Date }
  | { readonly kind: 'unknown'; readonly since: Date }
  | { readonly kind: 'none' };

/** A monitor is overdue after this number of intervals, and the time for which results may be late. */
const INTERVALS = 3;
const LATE_MS = 2 * 60_000;

/** Time for which the monitor service may be unreachable before a page says that the last checks are not known. */
const UNREACHABLE_MS = 2 * 60_000;

/** Returns the time after which a monitor without another round is overdue. */
export function overdueAt(round: LastRound): Date {
  return new Date(lastSign(round).getTime() + INTERVALS * round.intervalSeconds * 1_000 + LATE_MS);
}

/**
 * Returns whether it is too long ago that a monitor was checked. A monitor about which nothing is known is overdue once
 * the monitor service has been unreachable for a while.
 */
export function isOverdue(monitorId: string, { rounds, unreachableSince }: LastRounds, now: Date): boolean {
  const round = rounds.get(monitorId);
  if (round) return overdueAt(round) <= now;
  return unreachableSince !== undefined && unknownAt(unreachableSince) <= now;
}

/** Returns what a page says about the last checks of its monitors. */
export function lastChecks({ rounds, unreachableSince }: LastRounds, now: Date): LastChecks {
  const known = [...rounds.values()];
  if (unreachableSince && unknownAt(unreachableSince) <= now) return { kind: 'unknown', since: unreachableSince };
  const newest = latest(known.flatMap(({ at }) => at ?? []));
  if (known.length > 0 && known.every((round) => overdueAt(round) <= now)) {
    return { kind: 'stopped', since: newest ?? latest(known.map(lastSign)) ?? now };
  }
  return newest ? { kind: 'checked', at: newest } : { kind: 'none' };
}

/** Returns the next times at which time alone changes what a page says about the last checks. */
export function changesOfLastChecks({ rounds, unreachableSince }: LastRounds): Date[] {
  return [...[...rounds.values()].map(overdueAt), ...(unreachableSince ? [unknownAt(unreachableSince)] : [])];
}

/** A round before a monitor was enabled or changed says nothing about the time after it. */
function lastSign({ at, expectedSince }: LastRound): Date {
  return at && at > expectedSince ? at : expectedSince;
}

function unknownAt(unreachableSince: Date): Date {
  return new Date(unreachableSince.getTime() + UNREACHABLE_MS);
}

function latest(times: readonly Date[]): Date | undefined {
  return times.length > 0 ? new Date(Math.max(...times.map((time) => time.getTime()))) : undefined;
}
