import type { Outcome } from '../../domain/outcome.ts';

/** How the mail to one recipient went. */
export interface OneOutcome {
  readonly mark: string;
  readonly outcome: Outcome;
}

/**
 * Returns one outcome for the mails of one alert. While some have to be tried again, those who have it are left out
 * next time. A recipient that is refused keeps nothing from the others; when all are, the channel is refused.
 */
export function summarize(outcomes: readonly OneOutcome[], before: readonly string[]): Outcome {
  const delivered = outcomes.filter(({ outcome }) => outcome.kind === 'delivered').map(({ mark }) => mark);
  const reached = [...before, ...delivered];
  for (const { outcome } of outcomes) if (outcome.kind === 'failed') return { ...outcome, reached };
  const [first] = outcomes.filter(({ outcome }) => outcome.kind !== 'delivered');
  if (!first || reached.length > 0) return { kind: 'delivered', httpStatus: undefined };
  return first.outcome;
}
