/** Certificate of a server, and whether clients trust it. */
export interface Certificate {
  /** SHA-256 of the certificate's DER form, in lower-case hex. */
  readonly fingerprint: string;
  /** Common name of the issuer, or its organization if it has no common name. */
  readonly issuer: string;
  /** Common name of the subject, or its first alternative name if it has no common name. */
  readonly subject: string;
  /** January 1, 1970 if the certificate has no valid date. */
  readonly notBefore: Date;
  /** January 1, 1970 if the certificate has no valid date. */
  readonly notAfter: Date;
  readonly valid: boolean;
  /** Human-readable reason why the certificate is invalid; empty if it is valid. */
  readonly problem: string;
}

/** Properties of a certificate that decide whether a client trusts it. */
export interface PresentedCertificate {
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Returns the DNS names and IP addresses for which the certificate is valid. */
  readonly names: () => readonly string[];
  readonly host: string;
  readonly isForHost: boolean;
  /** Returns the issuer of the last certificate in the chain that the server sent. */
  readonly lastIssuer: () => string;
  /** OpenSSL's error for the chain; undefined if the chain leads to a trusted authority. */
  readonly chainError: string | undefined;
  readonly now: Date;
}

const SHOWN_NAMES = 3;

/** Returns the reason why clients don't trust a certificate; empty if they trust it. */
export function problemOf(certificate: PresentedCertificate): string {
  const { chainError } = certificate;
  if (chainError) return chainProblem(chainError, certificate);
  if (certificate.isForHost) return '';
  return `certificate is for ${listed(certificate.names())}, not for ${certificate.host}`;
}

function chainProblem(code: string, { notBefore, notAfter, lastIssuer, now }: PresentedCertificate): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      // OpenSSL reports this code if any certificate of the chain has expired. The dates show whether it is the
      // server's own certificate.
      return notAfter < now ? `certificate expired on ${day(notAfter)}` : 'a certificate of its chain has expired';
    case 'CERT_NOT_YET_VALID':
      return notBefore > now
        ? `certificate is not valid before ${day(notBefore)}`
        : 'a certificate of its chain is not valid yet';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'certificate is self-signed';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `certificate is from an unknown authority, "${lastIssuer()}"`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `certificate chain is incomplete: the server did not send the certificate of its issuer, "${lastIssuer()}", which is no trusted authority either`;
    case 'CERT_SIGNATURE_FAILURE':
      return 'a signature in the certificate chain is wrong';
    case 'ERROR_IN_CERT_NOT_BEFORE_FIELD':
    case 'ERROR_IN_CERT_NOT_AFTER_FIELD':
      return 'a date in the certificate is invalid';
    case 'INVALID_PURPOSE':
      return 'certificate is not meant for servers';
    default:
      return `certificate is not trusted (${code})`;
  }
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'no name at all';
  const more = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
