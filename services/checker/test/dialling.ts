import { createNetguard, parseAllowedTargets, type Resolve } from '@tocsin/netguard';
import { createTrust } from '../src/probes/connection/trust.ts';
import type { HttpProbeOptions } from '../src/probes/http/http-probe.ts';

export interface DiallingOptions {
  /** Addresses that are allowed. Defaults to the loopback addresses. */
  readonly allow?: string;
  readonly resolve?: Resolve;
  /** PEM of an additional trusted certificate authority. */
  readonly ca?: string;
}

/** Returns probe options for tests. By default, the loopback addresses are the only allowed private ones. */
export function dialling({ allow = '127.0.0.0/8,::1', resolve, ca }: DiallingOptions = {}): HttpProbeOptions {
  const guard = createNetguard({ allow: parseAllowedTargets(allow), ...(resolve && { resolve }) });
  return { guard, trust: createTrust(ca), userAgent: 'Tocsin/0.1 (uptime check; +https://example.com/about)' };
}
