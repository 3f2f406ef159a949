const DAY_MS = 86_400_000;

/** TLS certificate of a server, as received by one region. */
export interface Certificate {
  /** SHA-256 of the certificate's DER form, in hex. A renewed certificate has a different one. */
  readonly fingerprint: string;
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: Date | undefined;
  readonly notAfter: Date;
  /** Whether clients trust the certificate for the checked host. */
  readonly valid: boolean;
  /** Reason why the certificate is invalid; empty for a valid one. */
  readonly problem: string;
}

/** Days before the expiry at which owners are notified, in descending order. */
const THRESHOLDS = [28, 14, 7, 1, 0] as const;

export interface ExpiryNotice {
  readonly certificate: Certificate;
  readonly thresholdDays: number;
  readonly daysRemaining: number;
}

/** Returns the whole days until a certificate expires, rounded down; negative after the expiry. */
export function daysRemaining({ notAfter }: Certificate, at: Date): number {
  return Math.floor((notAfter.getTime() - at.getTime()) / DAY_MS);
}

/**
 * Returns the expiry notice for the lowest threshold that a certificate has reached, or undefined if it has reached
 * none. The notice may already have been sent.
 */
export function expiryNotice(certificate: Certificate, at: Date): ExpiryNotice | undefined {
  const days = daysRemaining(certificate, at);
  const thresholdDays = THRESHOLDS.findLast((threshold) => days <= threshold);
  return thresholdDays === undefined ? undefined : { certificate, thresholdDays, daysRemaining: days };
}

/**
 * Of the certificates that the regions received, returns the worst one: an invalid certificate if there is one,
 * otherwise the certificate that expires first.
 */
export function worstOf(certificates: readonly Certificate[], at: Date): Certificate | undefined {
  const rank = (certificate: Certificate) => (isValid(certificate, at) ? 1 : 0);
  return certificates.toSorted((a, b) => rank(a) - rank(b) || a.notAfter.getTime() - b.notAfter.getTime())[0];
}

/** Returns whether a certificate was valid when a region received it, and has not expired since. */
export function isValid({ valid, notAfter }: Certificate, at: Date): boolean {
  return valid && notAfter > at;
}
