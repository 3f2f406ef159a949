import type { ConnectivityGuard } from '../src/app/ports.ts';

/** A guard that returns every observation unchanged, for tests that assume no problem in the checker itself. */
export const trustingGuard: ConnectivityGuard = {
  confirm: async (_monitorId, observation) => observation,
  measureLag: () => ({ blockedMs: () => 0, [Symbol.dispose]: () => undefined }),
};
