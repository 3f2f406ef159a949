/** Destination of a connection. The address is undefined until the connection is opened. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Address to which the connection was opened. */
  readonly address: string | undefined;
}

/**
 * Describes a failure of the network, of TLS or of HTTP in plain words: "connection refused by 203.0.113.7:443". The
 * codes are those of Node, OpenSSL and llhttp. `answered` is true if the response had begun.
 */
export function wordsFor(error: unknown, target: Target, answered = false): string {
  const { host } = target;
  const peer = peerOf(target);
  const known: Record<string, string> = {
    ECONNREFUSED: `connection refused by ${peer}`,
    ECONNRESET: answered ? `connection closed by ${peer} in the middle of the response` : `connection reset by ${peer}`,
    ERR_STREAM_PREMATURE_CLOSE: `connection closed by ${peer} in the middle of the response`,
    EPIPE: `connection closed by ${peer} while sending`,
    EHOSTUNREACH: `no route to ${peer}`,
    ENETUNREACH: `the network of ${peer} is unreachable`,
    EADDRNOTAVAIL: `this machine has no address from which to reach ${peer}`,
    ETIMEDOUT: `${peer} did not answer the connection`,
    ENOTFOUND: `host ${host} does not exist`,
    ENODATA: `host ${host} has no address`,
    EAI_AGAIN: `the name server did not respond for ${host}`,
    ETIMEOUT: `the name server did not respond for ${host}`,
    ESERVFAIL: `the name server failed to resolve ${host} (SERVFAIL)`,
    EREFUSED: `the name server refused to resolve ${host} (REFUSED)`,
    ERR_INVALID_CHAR: 'a header with a secret in it has line breaks or characters outside Latin-1, so it was not sent',
    ERR_SSL_WRONG_VERSION_NUMBER: `${peer} does not speak TLS`,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: `${peer} does not speak TLS`,
    ERR_SSL_EXCESSIVE_MESSAGE_SIZE: `${peer} sent a certificate chain that is too large`,
    ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: `${peer} speaks neither HTTP/1.1 nor HTTP/2`,
    ERR_SSL_UNSUPPORTED_PROTOCOL: `${peer} speaks only TLS 1.1 or older`,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: `${peer} speaks only TLS 1.1 or older`,
    HPE_HEADER_OVERFLOW: `${peer} sent more than 64 KiB of headers`,
    HPE_CHUNK_EXTENSIONS_OVERFLOW: `${peer} sent too many chunk extensions`,
    HPE_INVALID_CONSTANT: `${peer} does not speak HTTP`,
    HPE_INVALID_VERSION: `${peer} does not speak HTTP`,
    ERR_HTTP2_ERROR: `${peer} broke the rules of HTTP/2`,
    ERR_HTTP2_TOO_MANY_INVALID_FRAMES: `${peer} sent too many invalid HTTP/2 frames`,
    ERR_HTTP2_TOO_MANY_ORIGINS: `${peer} sent too many origins over HTTP/2`,
    ERR_HTTP2_TOO_MANY_CUSTOM_SETTINGS: `${peer} sent too many settings over HTTP/2`,
    ERR_HTTP2_STREAM_ERROR: `${peer} broke off the HTTP/2 response`,
    ERR_HTTP2_SESSION_ERROR: `${peer} broke off the HTTP/2 connection`,
    Z_DATA_ERROR: `${peer} sent a compressed body that is damaged`,
    Z_BUF_ERROR: `${peer} sent a compressed body that ends too early`,
  };
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (message === 'socket hang up') return `connection closed by ${peer} before it answered`;
  if (message.startsWith('Client network socket disconnected'))
    return `connection closed by ${peer} in the TLS handshake`;
  if (code && known[code]) return known[code];
  if (code?.startsWith('HPE_')) return `${peer} broke the rules of HTTP (${reasonOf(error)})`;
  if (code?.startsWith('ERR__ERROR_FORMAT') || code?.startsWith('ZSTD_'))
    return `${peer} sent a compressed body that is damaged`;
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_')) return `TLS with ${peer} failed (${reasonOf(error)})`;
  return message;
}

/** Returns the address and port of the peer, or its host if the name is not resolved yet. */
export function peerOf({ host, port, address }: Target): string {
  const end = address ?? host;
  return end.includes(':') ? `[${end}]:${port}` : `${end}:${port}`;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  // Several addresses were tried. Report the error of the first address, which is preferred. Usually all errors are the
  // same.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  const reason = typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' ? reason : (codeOf(error) ?? 'no reason given');
}
