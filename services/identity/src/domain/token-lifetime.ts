/**
 * Lifetime of a credential's token in milliseconds. After a revocation, existing tokens stay valid for at most this
 * time.
 */
export const CREDENTIAL_TOKEN_MS = 30_000;
export const SERVICE_TOKEN_MS = 5 * 60_000;

/**
 * Returns the time at which a token expires: after its lifetime, but not later than `limit`. Rounds down to whole
 * seconds, because JWTs contain times in seconds (RFC 7519 §2).
 */
export function tokenEnd(now: Date, lifetimeMs: number, limit?: Date): Date {
  const end = Math.min(now.getTime() + lifetimeMs, limit?.getTime() ?? Number.POSITIVE_INFINITY);
  return new Date(Math.floor(end / 1000) * 1000);
}
