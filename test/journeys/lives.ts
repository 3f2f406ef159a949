import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import fc from 'fast-check';

export const REGIONS = ['east', 'north', 'west'];

/** Outcome of a round in a region; undefined if the region sends no result. */
export type Sight = 'pass' | 'fail' | 'unknown' | undefined;

/** Fields of a result, by its outcome. */
export const LOOKS = {
  pass: { outcome: CheckOutcome.PASS, error: '' },
  fail: { outcome: CheckOutcome.FAIL, error: 'status 502, expected 200 to 399' },
  unknown: { outcome: CheckOutcome.UNKNOWN, error: 'unknown' },
} as const;

/** Number of working and failing periods of each target. It is low enough that no monitor is disabled automatically. */
const ERAS = 16;

/**
 * Returns the outcome in each region, for each round of each target. The targets fail and recover. Most outcomes are
 * right; some are wrong, unknown or missing. The same seed results in the same outcomes.
 */
export function livesOf({ lives, rounds, seed }: { lives: number; rounds: number; seed: number }): Sight[][][] {
  const length = fc.integer({ min: 1, max: Math.ceil((2 * rounds) / ERAS) });
  const mind = fc.constantFrom('true', 'true', 'true', 'true', 'true', 'true', 'false', 'unknown', 'silent');
  const life = fc.record({
    lengths: fc.array(length, { minLength: ERAS, maxLength: ERAS }),
    minds: fc.array(fc.tuple(mind, mind, mind), { minLength: rounds, maxLength: rounds }),
  });
  return fc.sample(life, { numRuns: lives, seed }).map(({ lengths, minds }) => {
    const works = lengths.flatMap((rounds, era) => Array<boolean>(rounds).fill(era % 2 === 0));
    return minds.map((round, at) =>
      round.map((mind): Sight => {
        if (mind === 'silent') return undefined;
        if (mind === 'unknown') return mind;
        return (mind === 'true') === (works[at] ?? true) ? 'pass' : 'fail';
      }),
    );
  });
}
