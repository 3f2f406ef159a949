import type { CustomDomain } from './custom-domain.ts';

const DAY_MS = 24 * 3_600_000;

/** Milliseconds between verifications of an active domain. */
const PROVEN_INTERVAL_MS = 7 * DAY_MS;

/** Milliseconds until an active domain is verified again if its proof is missing in DNS or DNS does not respond. */
export const RETRY_INTERVAL_MS = DAY_MS;

/** Milliseconds after which an active domain without proof is no longer served. */
export const GRACE_MS = 14 * DAY_MS;

/** Returns an active domain whose proof was found in DNS. */
export function provenDomain(name: string, now: Date): CustomDomain {
  return { name, status: 'active', checkAt: new Date(now.getTime() + PROVEN_INTERVAL_MS), unprovenSince: undefined };
}

/** Returns a failed domain, which is not served because its proof is missing in DNS. */
export function failedDomain(name: string): CustomDomain {
  return { name, status: 'failed', checkAt: undefined, unprovenSince: undefined };
}

/**
 * Returns the new state of an active domain after a scheduled verification. The domain stays active for two weeks
 * without proof, so that its owner can restore the proof.
 */
export function recheckedDomain(domain: CustomDomain, isProven: boolean, now: Date): CustomDomain {
  const { name, unprovenSince = now } = domain;
  if (isProven) return provenDomain(name, now);
  if (now.getTime() - unprovenSince.getTime() >= GRACE_MS) return failedDomain(name);
  return { name, status: 'active', checkAt: new Date(now.getTime() + RETRY_INTERVAL_MS), unprovenSince };
}
