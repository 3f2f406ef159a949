/**
 * A second implementation of the rules in docs/states.md, as simple as possible: it stores only the
 * events, and calculates each state from all of them. It is slow and shares no code with the product.
 */

export interface Settings {
  readonly intervalSeconds: number;
  readonly unit: 'minutes' | 'rounds';
  readonly down: number;
  readonly up: number;
}

export type Outcome = 'pass' | 'fail' | 'error' | 'timeout' | 'unknown';

/** An event in the life of a monitor, with its time in seconds. */
export type Happening =
  | { readonly kind: 'round'; readonly at: number; readonly regions: readonly string[]; readonly deadline: number }
  | {
      readonly kind: 'result';
      readonly at: number;
      readonly round: number;
      readonly region: string;
      readonly says: Outcome;
    }
  /** Overdue deadlines are processed. */
  | { readonly kind: 'deadlines'; readonly at: number }
  | { readonly kind: 'settings'; readonly at: number; readonly settings: Settings }
  | { readonly kind: 'disable' | 'enable'; readonly at: number }
  /** No replica runs until the time `until`. */
  | { readonly kind: 'absence'; readonly at: number; readonly until: number };

interface Round {
  at: number;
  regions: readonly string[];
  deadline: number;
  said: Record<string, Outcome>;
}

/** An event that may change the state: a decided round, a missing-data deadline, or the enabling of the monitor. */
type Moment = { at: number; what: 'pass' | 'fail' | 'stale' | 'enabled'; settings: Settings };

/** Returns the states of the monitor in order, beginning with pending. */
export function statesOf(happenings: readonly Happening[], first: Settings): string[] {
  const moments: Moment[] = [];
  const absences: { from: number; until: number }[] = [];
  let rounds: Round[] = [];
  let settings = first;
  let enabled = true;
  let watchedFrom = 0;

  for (const happening of happenings) {
    const now = happening.at;
    if (happening.kind === 'absence') absences.push({ from: now, until: happening.until });
    if (happening.kind === 'settings') {
      settings = happening.settings;
      watchedFrom = now;
    }
    if (happening.kind === 'disable') {
      enabled = false;
      rounds = [];
    }
    if (happening.kind === 'enable' && !enabled) {
      enabled = true;
      watchedFrom = now;
      if (moments.length > 0) moments.push({ at: now, what: 'enabled', settings });
    }
    if (happening.kind === 'round' && enabled) rounds.push({ ...happening, said: {} });
    if (happening.kind === 'result') {
      const round = rounds.find((candidate) => candidate.at === happening.round);
      if (round && !(happening.region in round.said)) round.said[happening.region] = happening.says;
    }

    // Rounds are decided in chronological order, when a result arrives or deadlines are checked.
    while ((happening.kind === 'result' || happening.kind === 'deadlines') && rounds[0]) {
      const verdict = verdictOf(rounds[0], now);
      if (verdict === 'not yet') break;
      const { at } = rounds[0];
      rounds = rounds.slice(1);
      const decidedBefore = moments.filter(({ what }) => what === 'pass' || what === 'fail');
      if (verdict !== 'undecided' && decidedBefore.every((moment) => moment.at < at)) {
        moments.push({ at, what: verdict, settings });
      }
    }

    if (happening.kind === 'deadlines' && enabled) {
      const decided = moments.filter(({ what }) => what === 'pass' || what === 'fail').map(({ at }) => at);
      const lastDecidedAt = Math.max(watchedFrom, ...decided);
      const limit = Math.max(3 * settings.intervalSeconds, 300);
      let unseen = 0;
      for (let second = lastDecidedAt; second < now; second += 1) {
        if (!absences.some(({ from, until }) => second >= from && second < until)) unseen += 1;
      }
      if (unseen >= limit) moments.push({ at: now, what: 'stale', settings });
    }
  }
  return statesAfter(moments);
}

function verdictOf(round: Round, now: number): 'pass' | 'fail' | 'undecided' | 'not yet' {
  const expected = round.regions.length;
  const said = round.regions.map((region) => round.said[region]);
  const passed = said.filter((response) => response === 'pass').length;
  const failed = said.filter(
    (response) => response === 'fail' || response === 'error' || response === 'timeout',
  ).length;
  const unknown = said.filter((response) => response === 'unknown').length;
  const missing = expected - passed - failed - unknown;
  // Try every combination of missing results. If all combinations lead to the same outcome, the round is decided.
  const possible = new Set<string>();
  for (let passes = 0; passes <= missing; passes += 1) {
    for (let failures = 0; passes + failures <= missing; failures += 1) {
      possible.add(majority(passed + passes, failed + failures, expected));
    }
  }
  const [only] = possible;
  if (possible.size === 1 && (only === 'pass' || only === 'fail')) return only;
  if (missing > 0 && now < round.deadline) return 'not yet';
  return majority(passed, failed, expected);
}

function majority(passed: number, failed: number, expected: number): 'pass' | 'fail' | 'undecided' {
  const counted = passed + failed;
  if (counted === 0 || counted < expected / 2) return 'undecided';
  return passed > failed ? 'pass' : 'fail';
}

function statesAfter(moments: readonly Moment[]): string[] {
  const states = ['pending'];
  let before = 'pending';
  for (const [index, moment] of moments.entries()) {
    const next = stateAfter(before, moments.slice(0, index + 1));
    if (next !== before || moment.what === 'enabled') states.push(next);
    before = next;
  }
  return states;
}

function stateAfter(before: string, moments: readonly Moment[]): string {
  const last = moments.at(-1);
  if (!last) return before;
  if (last.what === 'enabled') return 'pending';
  if (last.what === 'stale') return before === 'down' ? 'down' : 'stale';
  // The latest consecutive rounds with equal outcomes. The sequence ends when data is missing for too long, or the
  // monitor is enabled.
  let run: Moment[] = [];
  for (const moment of moments) {
    if (moment.what === 'enabled' || moment.what === 'stale') run = [];
    if (moment.what !== 'pass' && moment.what !== 'fail') continue;
    run = run.at(-1)?.what === moment.what ? [...run, moment] : [moment];
  }
  // A gap between two rounds counts for at most two intervals and 15 s of the settings at its end.
  const gaps = run.map(({ at, settings }, index) =>
    Math.min(at - (run[index - 1]?.at ?? at), 2 * settings.intervalSeconds + 15),
  );
  const { unit, down, up } = last.settings;
  const long = unit === 'rounds' ? run.length : gaps.reduce((sum, gap) => sum + gap, 0) / 60;
  if (last.what === 'fail') return long >= down ? 'down' : before;
  return before === 'down' && long < up ? 'down' : 'up';
}
