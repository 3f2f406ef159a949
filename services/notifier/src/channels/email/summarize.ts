import type { Outcome } from '../../domain/outcome.ts';

/** Outcome of an email to one recipient. */
export interface OneOutcome {
  readonly mark: string;
  readonly outcome: Outcome;
}

/**
 * Combines the outcomes of an alert's emails into one. If some emails must be retried, the next attempt skips
 * recipients that already have the alert. A refused recipient does not affect the other recipients. If all recipients
 * are refused, the outcome is `refused`.
 */
export function summarize(outcomes: readonly OneOutcome[], before: readonly string[]): Outcome {
  const delivered = outcomes.filter(({ outcome }) => outcome.kind === 'delivered').map(({ mark }) => mark);
  const reached = [...before, ...delivered];
  for (const { outcome } of outcomes) if (outcome.kind === 'failed') return { ...outcome, reached };
  const [first] = outcomes.filter(({ outcome }) => outcome.kind !== 'delivered');
  if (!first || reached.length > 0) return { kind: 'delivered', httpStatus: undefined };
  return first.outcome;
}
