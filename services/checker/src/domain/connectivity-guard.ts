import type { Observation } from './observation.ts';

/**
 * If the event loop was blocked for at least this fraction of a check's time limit, a missing response is not
 * attributed to the target.
 */
const STALL_SHARE = 0.2;

/**
 * Returns whether the checker itself may have caused an observation. For example, a response is missing if the
 * checker's own network is down.
 */
export function needsConfirmation({ outcome }: Observation): boolean {
  return outcome === 'error' || outcome === 'timeout';
}

/** Returns the observation that replaces a failure while the checker's own connection is lost. */
export function notConnected(observation: Observation): Observation {
  return unknown(observation, 'this checker has lost its own connection');
}

/**
 * Replaces a failure with `unknown` if the event loop was blocked for `stalledMs` during the check, and this may have
 * caused the failure: an outcome without a response, if the loop was blocked for at least STALL_SHARE of the check's
 * time limit, and a response that was too slow, if it was not without the time for which the loop was blocked.
 */
export function discountLag(observation: Observation, stalledMs: number, timeoutMs: number): Observation {
  const { phases, maxResponseTimeMs } = observation;
  const isInTime = maxResponseTimeMs !== undefined && (phases.total ?? 0) - stalledMs <= maxResponseTimeMs;
  const isInterrupted = needsConfirmation(observation) && stalledMs >= timeoutMs * STALL_SHARE;
  if (!isInTime && !isInterrupted) return observation;
  return unknown(observation, `this checker stood still for ${Math.round(stalledMs)} ms, or was too busy`);
}

function unknown({ phases }: Observation, reason: string): Observation {
  return { outcome: 'unknown', error: `${reason}: what it saw says nothing about the target`, phases };
}
