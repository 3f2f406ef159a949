import { createNetguard, parseAllowedTargets, type Resolve } from '@tocsin/netguard';
import { createTrust } from '../src/probes/connection/trust.ts';
import type { HttpProbeOptions } from '../src/probes/http/http-probe.ts';

export interface DiallingOptions {
  /** Beside loopback, which is always open. */
  readonly allow?: string;
  readonly resolve?: Resolve;
  /** PEM of an authority to trust. */
  readonly ca?: string;
}

/** How probes of tests reach their targets: on this machine, and nothing else inside. */
export function dialling({ allow = '127.0.0.0/8,::1', resolve, ca }: DiallingOptions = {}): HttpProbeOptions {
  const guard = createNetguard({ allow: parseAllowedTargets(allow), ...(resolve && { resolve }) });
  return { guard, trust: createTrust(ca), userAgent: 'Tocsin/0.1 (uptime check; +https://example.com/about)' };
}
