import { needsConfirmation, notConnected } from '../domain/connectivity-guard.ts';
import type { ConnectivityGuard } from './ports.ts';

/** Evidence of this process's own connectivity at the time of a failure. */
export interface ConnectivityEvidence {
  confirmFailure(target: string): Promise<boolean>;
  recordResponse(target: string): void;
}

/**
 * Returns a `judge` that reports a monitor's first failure only after the checker's own connection was proven to work.
 */
export function judgeByConnectivity(evidence: ConnectivityEvidence): ConnectivityGuard['judge'] {
  return async (monitorId, observation) => {
    if (!needsConfirmation(observation)) {
      evidence.recordResponse(monitorId);
      return observation;
    }
    return (await evidence.confirmFailure(monitorId)) ? observation : notConnected(observation);
  };
}
