/** How one region saw one round. `unknown` is a checker that doubts itself, and counts as no answer. */
export type Outcome = 'pass' | 'fail' | 'error' | 'timeout' | 'unknown';

export interface RegionAnswer {
  readonly region: string;
  readonly outcome: Outcome;
  /** What went wrong, for a person; empty for a pass. */
  readonly error: string;
}

/** A round of a monitor: which regions were asked, and until when they may answer. */
export interface OpenRound {
  readonly monitorId: string;
  readonly at: Date;
  readonly regions: readonly string[];
  readonly deadline: Date;
}

export type Vote = 'pass' | 'fail' | 'undecided' | 'waiting';

/**
 * What the regions made of a round (spec: Rounds, votes and states). The majority of those that answered decides, if at
 * least half of the expected ones did; a tie is a failure. `waiting` while an answer that may still come could change it.
 */
export function vote(round: OpenRound, answers: readonly RegionAnswer[], now: Date): Vote {
  const expected = round.regions.length;
  const asked = answers.filter((answer) => round.regions.includes(answer.region));
  const passes = asked.filter((answer) => answer.outcome === 'pass').length;
  const unknown = asked.filter((answer) => answer.outcome === 'unknown').length;
  const failures = asked.length - passes - unknown;

  // The regions that are still out could all say the opposite and would not turn it.
  if (failures * 2 >= expected) return 'fail';
  if (passes * 2 > expected) return 'pass';

  if (asked.length < expected && now < round.deadline) return 'waiting';
  const answered = passes + failures;
  if (answered * 2 < expected || answered === 0) return 'undecided';
  return failures * 2 >= answered ? 'fail' : 'pass';
}

/** "2 of 3 regions failed: status 502, expected 200": the votes in words, with the error that most of them saw. */
export function describeVotes(round: OpenRound, answers: readonly RegionAnswer[]): { votes: string; error: string } {
  const failed = answers.filter((answer) => answer.outcome !== 'pass' && answer.outcome !== 'unknown');
  const counts = new Map<string, number>();
  for (const { error } of failed) counts.set(error, (counts.get(error) ?? 0) + 1);
  const error = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
  const noun = round.regions.length === 1 ? 'region' : 'regions';
  return { votes: `${failed.length} of ${round.regions.length} ${noun} failed`, error };
}
