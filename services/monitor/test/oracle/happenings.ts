import fc from 'fast-check';
import type { Happening, Outcome, Settings } from './naive-model.ts';

const REGIONS = ['a', 'b', 'c', 'd'];

export const settings: fc.Arbitrary<Settings> = fc.record({
  intervalSeconds: fc.constantFrom(30, 60, 120),
  unit: fc.constantFrom('minutes' as const, 'rounds' as const),
  down: fc.integer({ min: 0, max: 4 }),
  up: fc.integer({ min: 0, max: 4 }),
});

/** The response of one region in a round. It usually reflects the target, but can be wrong, unknown or missing. */
const response = fc.record({
  region: fc.nat({ max: 3 }),
  mind: fc.constantFrom<'true' | 'false' | 'unknown' | 'silent'>(
    'true',
    'true',
    'true',
    'true',
    'false',
    'unknown',
    'silent',
  ),
  failure: fc.constantFrom<Outcome>('fail', 'error', 'timeout'),
  delay: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 200 })),
  /** Seconds after which the region's second result arrives, with the opposite outcome; usually undefined. */
  again: fc.option(fc.nat({ max: 120 }), { freq: 5 }),
});

/** A sequence of rounds with a working target, a failing target, or no checker. */
const phase = fc.record({
  target: fc.constantFrom('works', 'works', 'broken', 'broken', 'unseen'),
  regions: fc.integer({ min: 1, max: 4 }),
  rounds: fc.array(
    fc.record({
      gap: fc.constantFrom(30, 30, 30, 31, 60, 120),
      deadline: fc.integer({ min: 10, max: 45 }),
      outcomes: fc.array(response, { minLength: 1, maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

const intrusion = fc.record({
  at: fc.nat({ max: 4_000 }),
  what: fc.oneof(
    { weight: 2, arbitrary: settings.map((changed) => ({ kind: 'settings' as const, settings: changed })) },
    { weight: 1, arbitrary: fc.constantFrom({ kind: 'disable' as const }, { kind: 'enable' as const }) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 61, max: 4_000 }).map((length) => ({ kind: 'absence' as const, length })),
    },
  ),
});

/**
 * A random history of a monitor: rounds with late, repeated, missing and reordered results, and other events between
 * the rounds.
 */
export const life: fc.Arbitrary<Happening[]> = fc
  .record({
    phases: fc.array(phase, { minLength: 1, maxLength: 6 }),
    intrusions: fc.array(intrusion, { maxLength: 5 }),
    deadlinesEvery: fc.integer({ min: 3, max: 40 }),
  })
  .map(({ phases, intrusions, deadlinesEvery }) => {
    const happenings: Happening[] = [];
    let now = 0;
    for (const { target, regions, rounds } of phases) {
      const asked = REGIONS.slice(0, regions);
      for (const { gap, deadline, outcomes } of rounds) {
        now += gap;
        happenings.push({ kind: 'round', at: now, regions: asked, deadline: now + deadline });
        for (const { region, mind, failure, delay, again } of target === 'unseen' ? [] : outcomes) {
          if (mind === 'silent') continue;
          const passes = (target === 'works') === (mind === 'true');
          const says = mind === 'unknown' ? 'unknown' : passes ? 'pass' : failure;
          const result = { kind: 'result', round: now, region: REGIONS[region] ?? '', says } as const;
          happenings.push({ ...result, at: now + delay });
          if (again !== null) happenings.push({ ...result, at: now + delay + again, says: passes ? failure : 'pass' });
        }
      }
    }
    for (let at = deadlinesEvery; at < now + 900; at += deadlinesEvery) happenings.push({ kind: 'deadlines', at });
    const absences: { at: number; until: number }[] = [];
    for (const { at, what } of intrusions) {
      if (what.kind !== 'absence') happenings.push({ ...what, at });
      else if (absences.every(({ until, at: from }) => at > until || at + what.length < from)) {
        absences.push({ at, until: at + what.length });
      }
    }
    return interrupted(happenings, absences);
  });

/**
 * Removes rounds and deadline processing during each absence, a period in which no replica runs. Moves each other event
 * during an absence to the end of the absence.
 */
function interrupted(all: readonly Happening[], absences: readonly { at: number; until: number }[]): Happening[] {
  const kept = all.flatMap((happening): Happening[] => {
    const missed = absences.find(({ at, until }) => happening.at > at && happening.at < until);
    if (!missed) return [happening];
    return happening.kind === 'round' || happening.kind === 'deadlines' ? [] : [{ ...happening, at: missed.until }];
  });
  const gone = absences.map(({ at, until }): Happening => ({ kind: 'absence', at, until }));
  return [...kept, ...gone].sort((a, b) => a.at - b.at);
}
