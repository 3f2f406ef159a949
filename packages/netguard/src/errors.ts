/**
 * Thrown if no address of the host is public or allowed by the operator, or if the port is closed to tenants. A retry
 * is useless. The message is for tenants and does not contain the resolved address, which may be internal; `address` is
 * for logs.
 */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'ERR_BLOCKED_ADDRESS';
  readonly host: string;
  readonly address: string;

  /** Creates the error. `closedPort` is the port that tenants may not use, although the address is allowed. */
  constructor(host: string, address: string, closedPort?: number) {
    super(closedPort === undefined ? notPublic(host, address) : `port ${closedPort} of ${host} is closed to tenants`);
    this.host = host;
    this.address = address;
  }
}

/**
 * Thrown if a peer did not accept the connection or respond in time. `target` is an origin, or a host with a port. It
 * contains no path, because the paths of webhooks are secret.
 */
export class OutboundTimeoutError extends Error {
  override readonly name = 'OutboundTimeoutError';
  readonly code = 'ETIMEDOUT';
  readonly target: string;
  readonly timeoutMs: number;

  constructor(target: string, timeoutMs: number) {
    super(`${target} did not answer within ${timeoutMs} ms`);
    this.target = target;
    this.timeoutMs = timeoutMs;
  }
}

function notPublic(host: string, address: string): string {
  const what = host === address ? `${address} is not a public address` : `${host} does not resolve to a public address`;
  return `${what}; the operator of this server can open ranges with TOCSIN_ALLOW_PRIVATE_TARGETS`;
}
