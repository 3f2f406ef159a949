/**
 * A host was refused because none of its addresses is public or opened by the operator. Trying again won't help.
 *
 * The message is for tenants, so it does not name the address of a name: that of an internal host is none of their
 * business. `address` is for the log.
 */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'ERR_BLOCKED_ADDRESS';
  readonly host: string;
  readonly address: string;

  constructor(host: string, address: string) {
    const what =
      host === address ? `${address} is not a public address` : `${host} does not resolve to a public address`;
    super(`${what}; the operator of this server can open ranges with TOCSIN_ALLOW_PRIVATE_TARGETS`);
    this.host = host;
    this.address = address;
  }
}

/**
 * A peer did not connect or answer in time. `target` is an origin or host and port, never a path: paths of webhooks are
 * secrets.
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
