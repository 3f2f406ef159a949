import type { Outcome } from '../../domain/outcome.ts';

/** Outcome of the email to one recipient. */
export interface OneOutcome {
  readonly mark: string;
  readonly outcome: Outcome;
}

/**
 * Combines the outcomes of an alert's emails into one. If some must be retried, recipients who already have the alert
 * are skipped next time. A refused recipient does not affect the others; if all are refused, so is the channel.
 */
export function summarize(outcomes: readonly OneOutcome[], before: readonly string[]): Outcome {
  const delivered = outcomes.filter(({ outcome }) => outcome.kind === 'delivered').map(({ mark }) => mark);
  const reached = [...before, ...delivered];
  for (const { outcome } of outcomes) if (outcome.kind === 'failed') return { ...outcome, reached };
  const [first] = outcomes.filter(({ outcome }) => outcome.kind !== 'delivered');
  if (!first || reached.length > 0) return { kind: 'delivered', httpStatus: undefined };
  return first.outcome;
}
