import type { CheckOutcome } from '@tocsin/enums';

export interface RegionOutcome {
  readonly region: string;
  readonly outcome: CheckOutcome;
  /** Human-readable error; empty for a pass. */
  readonly error: string;
}

/** A round that is not decided yet, with the regions that check its monitor and the deadline for their results. */
export interface OpenRound {
  readonly monitorId: string;
  readonly at: Date;
  readonly regions: readonly string[];
  readonly deadline: Date;
}

export type Vote = 'pass' | 'fail' | 'undecided' | 'waiting';

/**
 * Returns the vote of a round (docs/states.md). The majority of pass and fail results decides if at least half of the
 * expected regions sent such a result. A tie is a failure. Returns `waiting` while missing results may still arrive and
 * could change the vote.
 */
export function vote(round: OpenRound, outcomes: readonly RegionOutcome[], now: Date): Vote {
  const expected = round.regions.length;
  const asked = outcomes.filter((response) => round.regions.includes(response.region));
  const passes = asked.filter((response) => response.outcome === 'pass').length;
  const unknown = asked.filter((response) => response.outcome === 'unknown').length;
  const failures = asked.length - passes - unknown;

  const decided = passes + failures;
  const isEnough = decided > 0 && decided * 2 >= expected;

  // Decide early if the missing results can't change the vote.
  const voters = expected - unknown;
  if (isEnough && failures * 2 >= voters) return 'fail';
  if (isEnough && passes * 2 > voters) return 'pass';

  if (asked.length < expected && now < round.deadline) return 'waiting';
  if (!isEnough) return 'undecided';
  return failures * 2 >= decided ? 'fail' : 'pass';
}

/**
 * Returns a description of the votes of a failed round, and the error that most regions reported. Examples of a
 * description are "2 of 3 regions failed" and "1 of 2 regions that responded failed (a tie counts as a failure)".
 */
export function describeVotes(round: OpenRound, outcomes: readonly RegionOutcome[]): { votes: string; error: string } {
  const expected = round.regions.length;
  const asked = outcomes.filter(({ region, outcome }) => round.regions.includes(region) && outcome !== 'unknown');
  const failed = asked.filter(({ outcome }) => outcome !== 'pass');
  const counts = new Map<string, number>();
  for (const { error } of failed) counts.set(error, (counts.get(error) ?? 0) + 1);
  const error = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
  // If at least half of the expected regions failed, missing results could not change the vote, and the text counts all
  // expected regions. Otherwise it counts only the regions that responded.
  const byAll = failed.length * 2 >= expected;
  const voters = byAll ? expected : asked.length;
  const who = `${voters === 1 ? 'region' : 'regions'}${byAll ? '' : ' that responded'}`;
  const tie = failed.length * 2 === voters ? ' (a tie counts as a failure)' : '';
  return { votes: `${failed.length} of ${voters} ${who} failed${tie}`, error };
}
