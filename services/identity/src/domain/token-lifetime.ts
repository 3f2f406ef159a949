/** How long a credential's token can outlive the credential. */
export const CREDENTIAL_TOKEN_MS = 30_000;
export const SERVICE_TOKEN_MS = 5 * 60_000;

/** When a token ends: in whole seconds, as JWTs count (RFC 7519 §2), and never after `limit`. */
export function tokenEnd(now: Date, lifetimeMs: number, limit?: Date): Date {
  const end = Math.min(now.getTime() + lifetimeMs, limit?.getTime() ?? Number.POSITIVE_INFINITY);
  return new Date(Math.floor(end / 1000) * 1000);
}
