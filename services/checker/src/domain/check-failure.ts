import type { Outcome } from './observation.ts';

/** Ends a check with an outcome and words for it. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
  readonly outcome: Outcome;

  constructor(outcome: Outcome, message: string) {
    super(message);
    this.outcome = outcome;
  }
}
