import type { Observation } from './observation.ts';

/**
 * If the event loop was blocked for at least this fraction of a check's time limit, a timeout is not attributed to the
 * target.
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
 * Replaces the outcome `timeout` with `unknown` if the event loop was blocked for at least STALL_SHARE of the check's
 * time limit.
 */
export function discountLag(observation: Observation, stalledMs: number, timeoutMs: number): Observation {
  if (observation.outcome !== 'timeout' || stalledMs < timeoutMs * STALL_SHARE) return observation;
  return unknown(observation, `this checker stood still for ${Math.round(stalledMs)} ms, or was too busy`);
}

function unknown({ phases }: Observation, reason: string): Observation {
  return { outcome: 'unknown', error: `${reason}: what it saw says nothing about the target`, phases };
}
