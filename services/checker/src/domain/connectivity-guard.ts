import type { Observation } from './observation.ts';

/** A pause of the process, in the share of a check's time from which on it explains that the time ran out. */
const STALL_SHARE = 0.2;

/**
 * Returns whether an observation may be the checker's own problem: without a response, a broken target and a broken
 * network look alike.
 */
export function needsConfirmation({ outcome }: Observation): boolean {
  return outcome === 'error' || outcome === 'timeout';
}

/** What is said instead of a failure while the checker's own connection is lost. */
export function notConnected(observation: Observation): Observation {
  return unknown(observation, 'this checker has lost its own connection');
}

/**
 * What is said instead of a timeout when the checker itself stood still for too much of the time that the check had.
 */
export function discountLag(observation: Observation, stalledMs: number, timeoutMs: number): Observation {
  if (observation.outcome !== 'timeout' || stalledMs < timeoutMs * STALL_SHARE) return observation;
  return unknown(observation, `this checker stood still for ${Math.round(stalledMs)} ms, or was too busy`);
}

function unknown({ phases }: Observation, reason: string): Observation {
  return { outcome: 'unknown', error: `${reason}: what it saw says nothing about the target`, phases };
}
