import fc from 'fast-check';
import { expect } from 'vitest';
import { drive } from './drive.ts';
import { life, settings } from './happenings.ts';
import { statesOf } from './naive-model.ts';

/**
 * Compares the product's rules with the naive model on the given number of random histories. Returns how often each
 * state was entered.
 */
export function compareWithOracle(runs: number): Map<string, number> {
  const entered = new Map<string, number>();
  fc.assert(
    fc.property(life, settings, (happenings, first) => {
      const states = drive(happenings, first);
      expect(states).toEqual(statesOf(happenings, first));
      for (const [index, state] of states.entries()) {
        const step = `${states[index - 1] ?? ''} → ${state}`;
        entered.set(step, (entered.get(step) ?? 0) + 1);
      }
    }),
    { numRuns: runs },
  );
  return entered;
}
