/** Where a connection was going, as far as it is known. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** The address that was dialled. */
  readonly address: string | undefined;
}

/**
 * A failure of the network or of TLS in words that a person understands at 3 a.m.: "connection refused by
 * 203.0.113.7:443". Codes are those of Node and OpenSSL.
 */
export function wordsFor(error: unknown, target: Target): string {
  const { host, port } = target;
  const peer = `${target.address?.includes(':') ? `[${target.address}]` : (target.address ?? host)}:${port}`;
  const known: Record<string, string> = {
    ECONNREFUSED: `connection refused by ${peer}`,
    ECONNRESET: `connection reset by ${peer}`,
    EPIPE: `connection closed by ${peer} while sending`,
    EHOSTUNREACH: `no route to ${peer}`,
    ENETUNREACH: `the network of ${peer} is unreachable`,
    ENOTFOUND: `host ${host} has no address`,
    EAI_AGAIN: `the name server did not answer for ${host}`,
    ETIMEDOUT: `${peer} did not answer the connection`,
    CERT_HAS_EXPIRED: `the certificate of ${host} has expired`,
    CERT_NOT_YET_VALID: `the certificate of ${host} is not valid yet`,
    DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate of ${host} is self-signed`,
    SELF_SIGNED_CERT_IN_CHAIN: `the certificate chain of ${host} ends in an unknown self-signed certificate`,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the certificate chain of ${host} is incomplete`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the certificate of ${host} is from an unknown authority`,
    ERR_TLS_CERT_ALTNAME_INVALID: `the certificate of ${host} is for another name`,
    ERR_INVALID_CHAR: 'a header with a secret in it has line breaks or characters outside Latin-1, so it was not sent',
    HPE_HEADER_OVERFLOW: `the headers of ${host} are too large`,
  };
  const code = codeOf(error);
  if (code && known[code]) return known[code];
  if (code?.startsWith('HPE_')) return `${peer} does not speak HTTP (${code})`;
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_')) return `TLS with ${peer} failed (${reasonOf(error)})`;
  const message = error instanceof Error ? error.message : String(error);
  return message === 'socket hang up' ? `connection closed by ${peer} before it answered` : message;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  // Several addresses were tried: they mostly failed alike, and the first is the one that was preferred.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  const reason = typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' ? reason : (codeOf(error) ?? 'no reason given');
}
