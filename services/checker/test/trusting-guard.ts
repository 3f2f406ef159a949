import type { ConnectivityGuard } from '../src/app/ports.ts';

/** A guard that confirms every observation, for tests in which the checker's own connection works. */
export const trustingGuard: ConnectivityGuard = {
  confirm: async (_monitorId, observation) => observation,
  stalledSince: () => 0,
};
