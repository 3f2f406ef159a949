/** Last decided round of a monitor (see docs/states.md), and the interval of the monitor's rounds. */
export interface LastRound {
  /** Time of the round; undefined if there was none yet. */
  readonly at: Date | undefined;
  /** Time from which rounds are expected. */
  readonly expectedSince: Date;
  readonly intervalSeconds: number;
  /** Time since which rounds have been decided without interruption; undefined if unknown. */
  readonly runningSince?: Date | undefined;
}

/** Last rounds of the monitors of a page, as far as they are known. */
export interface LastRounds {
  /** Rounds of enabled monitors, by monitor id. */
  readonly rounds: ReadonlyMap<string, LastRound>;
  /** Time at which the monitor service became unreachable; undefined if it can be reached. */
  readonly unreachableSince: Date | undefined;
}

/**
 * What a page says about the last checks of its monitors: when the last check was; since when expected checks have been
 * missing; since when it has been unknown whether there are checks; or nothing, because no monitor is checked.
 */
export type LastChecks =
  | { readonly kind: 'checked'; readonly at: Date }
  | { readonly kind: 'stopped'; readonly since: Date }
  | { readonly kind: 'unknown'; readonly since: Date }
  | { readonly kind: 'none' };

/** A monitor is overdue after INTERVALS intervals plus LATE_MS, because results may be late. */
const INTERVALS = 3;
const LATE_MS = 2 * 60_000;

/** How long the monitor service may be unreachable before a page says that the last checks are not known. */
const UNREACHABLE_MS = 2 * 60_000;

/** Returns the time at which a monitor becomes overdue if no round is decided after `round`. */
export function overdueAt(round: LastRound): Date {
  return new Date(lastSign(round).getTime() + INTERVALS * round.intervalSeconds * 1_000 + LATE_MS);
}

/**
 * Returns whether a monitor is overdue, based on its last round. If the monitor service is unreachable and the round is
 * not known, for example after a restart, the monitor becomes overdue at the stored time `freshUntil`, or when the
 * monitor service has been unreachable for UNREACHABLE_MS, whichever is earlier.
 */
export function isOverdue(
  monitorId: string,
  { rounds, unreachableSince }: LastRounds,
  now: Date,
  freshUntil?: Date,
): boolean {
  const round = rounds.get(monitorId);
  if (round) return overdueAt(round) <= now;
  if (unreachableSince === undefined) return false;
  return (freshUntil !== undefined && freshUntil <= now) || unknownAt(unreachableSince) <= now;
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

/** Returns the times at which the text about the last checks may change without an event. */
export function changesOfLastChecks({ rounds, unreachableSince }: LastRounds): Date[] {
  return [...[...rounds.values()].map(overdueAt), ...(unreachableSince ? [unknownAt(unreachableSince)] : [])];
}

/**
 * Stored data about whether a monitor is overdue. It is needed for the history of components, which shows
 * when their monitors were overdue.
 */
export interface Freshness {
  /** Time at which the monitor becomes overdue if no newer round is decided; undefined before the first check. */
  readonly freshUntil: Date | undefined;
  readonly isOverdue: boolean;
}

/** Result of a check of a monitor's freshness. */
export interface FreshnessCheck extends Freshness {
  readonly freshUntil: Date;
  readonly nextCheckAt: Date;
  /** Changes to `isOverdue` since the previous check, in chronological order. */
  readonly changes: readonly { readonly at: Date; readonly isOverdue: boolean }[];
}

/** Minimum and maximum time between two checks of a monitor's freshness. */
const CHECK_MS = { min: 15_000, max: 10 * 60_000 };

/**
 * Checks whether a monitor is overdue. `round` is its last round; undefined while the monitor service is unreachable,
 * in which case `known.freshUntil` is used. If that time is more than UNREACHABLE_MS ago, the status page service was
 * down, and there may have been newer rounds. `isOverdue` then does not change until the monitor service can be
 * reached. A monitor is checked again before it can become overdue, so that `freshUntil` is up to date when the monitor
 * service becomes unreachable.
 */
export function checkFreshness(known: Freshness, round: LastRound | undefined, now: Date): FreshnessCheck {
  const freshUntil = round ? overdueAt(round) : (known.freshUntil ?? unknownAt(now));
  const left = freshUntil.getTime() - now.getTime();
  const wait = Math.min(CHECK_MS.max, Math.max(CHECK_MS.min, round ? left / 2 : 0));
  const nextCheckAt = new Date(now.getTime() + wait);
  const isKnown = round !== undefined || known.isOverdue || left > -UNREACHABLE_MS;
  const isOverdue = left <= 0 && isKnown;
  return { freshUntil, isOverdue, nextCheckAt, changes: changesOf(known, { freshUntil, isOverdue }, round) };
}

function changesOf(
  known: Freshness,
  { freshUntil, isOverdue }: { freshUntil: Date; isOverdue: boolean },
  round: LastRound | undefined,
): FreshnessCheck['changes'] {
  if (isOverdue) return known.isOverdue ? [] : [{ at: freshUntil, isOverdue }];
  if (known.isOverdue) return round ? [{ at: lastSign(round), isOverdue }] : [];
  // The monitor service was down when the monitor became overdue, and has decided a round after it was started again.
  const { runningSince } = round ?? {};
  if (!known.freshUntil || !runningSince || runningSince <= known.freshUntil) return [];
  return [
    { at: known.freshUntil, isOverdue: true },
    { at: runningSince, isOverdue: false },
  ];
}

/** Returns the time of the last round, or `expectedSince` if it is later or there was no round. */
function lastSign({ at, expectedSince }: LastRound): Date {
  return at && at > expectedSince ? at : expectedSince;
}

function unknownAt(unreachableSince: Date): Date {
  return new Date(unreachableSince.getTime() + UNREACHABLE_MS);
}

function latest(times: readonly Date[]): Date | undefined {
  return times.length > 0 ? new Date(Math.max(...times.map((time) => time.getTime()))) : undefined;
}
