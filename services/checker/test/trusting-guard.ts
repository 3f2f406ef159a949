import type { ConnectivityGuard } from '../src/app/ports.ts';

/** For tests whose targets, and not the way to them, are broken. */
export const noDoubts: ConnectivityGuard = {
  judge: async (_monitorId, observation) => observation,
  stalledSince: () => 0,
};
