import { needsConfirmation, notConnected } from '../domain/connectivity-guard.ts';
import type { ConnectivityGuard } from './ports.ts';

/**
 * Methods of the connectivity guard and the event-loop lag of this process. They show whether the checker itself caused
 * a failure.
 */
export interface ConnectivityEvidence {
  confirmFailure(target: string): Promise<boolean>;
  recordResponse(target: string): void;
}

/** Returns a `confirm` that reports a monitor's first failure only after the checker's own connection works. */
export function confirmByConnectivity(evidence: ConnectivityEvidence): ConnectivityGuard['confirm'] {
  return async (monitorId, observation) => {
    if (!needsConfirmation(observation)) {
      evidence.recordResponse(monitorId);
      return observation;
    }
    return (await evidence.confirmFailure(monitorId)) ? observation : notConnected(observation);
  };
}
