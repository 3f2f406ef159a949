import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/**
 * Returns the trusted certificate authorities: Node's list, and additional authorities in PEM form. Call this function
 * once, because reading the list takes longer than a whole check.
 * @throws Error if the PEM is invalid.
 */
export function createTrust(extraPem?: string): SecureContext {
  const extra = extraPem ? certificatesIn(extraPem) : [];
  return createSecureContext({ ca: [...getCACertificates('default'), ...extra] });
}

function certificatesIn(pem: string): string[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!found) throw new Error('TOCSIN_CHECKER_EXTRA_CA: there is no certificate in PEM in it');
  return found;
}
