import { needsConfirmation, notConnected } from '../domain/connectivity-guard.ts';
import type { ConnectivityGuard } from './ports.ts';

/** Evidence of whether the checker itself caused a failure. */
export interface ConnectivityEvidence {
  confirmFailure(target: string): Promise<boolean>;
  recordResponse(target: string): void;
}

/**
 * Returns a `confirm` function that reports a failure only if the checker's own connection works, and otherwise returns
 * the outcome `unknown`.
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
