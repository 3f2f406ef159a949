import type { MonitorState } from '@tocsin/enums';
import type { EvaluatorState } from '../rounds/evaluate.ts';

/** An alert about a monitor that went down or stale under maintenance. */
export interface SuppressedAlert {
  /**
   * Whether the monitor was already down or stale before, and an alert about that was sent. Receivers of this alert
   * wait for a recovery.
   */
  readonly alertedBefore: boolean;
}

export interface Suppression {
  /** Whether no alert about the state change may be sent. */
  readonly isSuppressed: boolean;
  /** Alert that is due if the state still applies at the end of the maintenance. */
  readonly held?: SuppressedAlert;
}

/**
 * Decides whether the alert about a state change is suppressed. This is the case if a monitor goes down or stale under
 * maintenance, and if a monitor recovers after all alerts about its trouble were suppressed. `held` is the alert about
 * the previous state, if that alert was suppressed.
 */
export function decideSuppression(
  { state, previousState }: Pick<EvaluatorState, 'state' | 'previousState'>,
  { isMaintained, held }: { isMaintained: boolean; held: SuppressedAlert | undefined },
): Suppression {
  if (!isTrouble(state)) return { isSuppressed: held !== undefined && !held.alertedBefore };
  if (!isMaintained) return { isSuppressed: false };
  return { isSuppressed: true, held: held ?? { alertedBefore: isTrouble(previousState) } };
}

function isTrouble(state: MonitorState | undefined): boolean {
  return state === 'down' || state === 'stale';
}
