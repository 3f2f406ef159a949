/**
 * Lifetime of a credential's token in milliseconds. After a revocation, existing tokens stay valid for at most this
 * time.
 */
export const CREDENTIAL_TOKEN_MS = 30_000;
export const SERVICE_TOKEN_MS = 5 * 60_000;

/**
 * Returns the expiry time of a token, or `limit` if that is earlier. The time is in whole seconds, as in JWTs (RFC 7519
 * §2).
 */
export function tokenEnd(now: Date, lifetimeMs: number, limit?: Date): Date {
  const end = Math.min(now.getTime() + lifetimeMs, limit?.getTime() ?? Number.POSITIVE_INFINITY);
  return new Date(Math.floor(end / 1000) * 1000);
}
