import { needsConfirmation, notConnected } from '../domain/connectivity-guard.ts';
import type { ConnectivityGuard } from './ports.ts';

/** Says whether this process was connected when a target failed. */
export interface ConnectivityEvidence {
  confirmFailure(target: string): Promise<boolean>;
  recordResponse(target: string): void;
}

/** A failure that is new here is believed only when the checker proves that its own connection works. */
export function judgeByConnectivity(evidence: ConnectivityEvidence): ConnectivityGuard['judge'] {
  return async (monitorId, observation) => {
    if (!needsConfirmation(observation)) {
      evidence.recordResponse(monitorId);
      return observation;
    }
    return (await evidence.confirmFailure(monitorId)) ? observation : notConnected(observation);
  };
}
