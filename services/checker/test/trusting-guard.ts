import type { ConnectivityGuard } from '../src/app/ports.ts';

/** For tests whose targets, and not the way to them, are broken. */
export const trustingGuard: ConnectivityGuard = {
  confirm: async (_monitorId, observation) => observation,
  stalledSince: () => 0,
};
