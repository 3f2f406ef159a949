import type { ConnectivityGuard } from '../src/app/ports.ts';

/** A guard that returns every observation unchanged, for tests in which the checker itself has no problem. */
export const trustingGuard: ConnectivityGuard = {
  confirm: async (_monitorId, observation) => observation,
  stalledSince: () => 0,
};
