const DAY_MS = 86_400_000;

/** A server's TLS certificate as a region saw it. */
export interface Certificate {
  /** SHA-256 of the DER form, hex; differs between a renewed certificate and the old one. */
  readonly fingerprint: string;
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: Date | undefined;
  readonly notAfter: Date;
  /** Whether a client would have trusted it for the checked host. */
  readonly valid: boolean;
  /** Why not; empty when it would. */
  readonly problem: string;
}

/** Days before the expiry at which owners are notified, in descending order (spec: Mail). */
const THRESHOLDS = [28, 14, 7, 1, 0] as const;

export interface ExpiryNotice {
  readonly certificate: Certificate;
  readonly thresholdDays: number;
  readonly daysRemaining: number;
}

/** Whole days until a certificate ends, rounded down; negative once it has. */
export function daysRemaining({ notAfter }: Certificate, at: Date): number {
  return Math.floor((notAfter.getTime() - at.getTime()) / DAY_MS);
}

/**
 * Returns the notice that is due for a certificate, unless it was sent before: that of the lowest threshold it reached.
 */
export function expiryNotice(certificate: Certificate, at: Date): ExpiryNotice | undefined {
  const days = daysRemaining(certificate, at);
  const thresholdDays = THRESHOLDS.findLast((threshold) => days <= threshold);
  return thresholdDays === undefined ? undefined : { certificate, thresholdDays, daysRemaining: days };
}

/** Of what the regions saw, what is worst: one that is not valid, else the one that ends first. */
export function worstOf(certificates: readonly Certificate[], at: Date): Certificate | undefined {
  const rank = (certificate: Certificate) => (isValid(certificate, at) ? 1 : 0);
  return certificates.toSorted((a, b) => rank(a) - rank(b) || a.notAfter.getTime() - b.notAfter.getTime())[0];
}

/** Whether it was valid when it was seen, and still is. */
export function isValid({ valid, notAfter }: Certificate, at: Date): boolean {
  return valid && notAfter > at;
}
