import type { CheckOutcome } from '@tocsin/enums';

/** Ends a check with an outcome and an error text. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
  readonly outcome: CheckOutcome;

  constructor(outcome: CheckOutcome, message: string) {
    super(message);
    this.outcome = outcome;
  }
}
