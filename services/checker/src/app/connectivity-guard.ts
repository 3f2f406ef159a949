import { needsConfirmation, notConnected } from '../domain/connectivity-guard.ts';
import type { ConnectivityGuard } from './ports.ts';

/** Determines whether the checker's own connection may have caused a failure. */
export interface ConnectivityEvidence {
  confirmFailure(target: string): Promise<boolean>;
  recordResponse(target: string): void;
}

/**
 * Returns a `confirm` function that reports a failure only if the checker's own connection works, and otherwise returns
 * an observation with the outcome `unknown`.
 */
export function confirmByConnectivity(evidence: ConnectivityEvidence): ConnectivityGuard['confirm'] {
  return async (monitorId, observation) => {
    if (!needsConfirmation(observation)) {
      evidence.recordResponse(monitorId);
      return observation;
    }
    return (await evidence.confirmFailure(monitorId)) ? observation : notConnected(observation);
  };
}
