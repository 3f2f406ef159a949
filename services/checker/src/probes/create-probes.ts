import type { CheckType } from '@tocsin/enums';
import type { Netguard } from '@tocsin/netguard';
import type { Probe } from '../app/ports.ts';
import { createTrust } from './connection/trust.ts';
import { dnsProbe } from './dns/dns-probe.ts';
import { httpProbe } from './http/http-probe.ts';
import { type SyntheticOptions, syntheticProbe } from './synthetic/synthetic-probe.ts';
import { tcpProbe } from './tcp/tcp-probe.ts';

export interface ProbeOptions {
  readonly guard: Netguard;
  /** Addresses of name servers. Defaults to the machine's own name servers. */
  readonly nameServers?: readonly string[] | undefined;
  /** Certificate authorities, in PEM form, that are trusted in addition to the public ones. */
  readonly extraCa: string | undefined;
  /** URL in the user agent, for owners of targets. */
  readonly contactUrl: string;
  readonly synthetic: Omit<SyntheticOptions, 'nameServers'>;
}

/** Creates the probe for each check type that checkers run. */
export function createProbes(options: ProbeOptions): Record<Exclude<CheckType, 'heartbeat'>, Probe> {
  const { guard, nameServers, contactUrl } = options;
  const dialling = { guard, trust: createTrust(options.extraCa) };
  return {
    http: httpProbe({ ...dialling, userAgent: `Tocsin/0.1 (uptime check; +${contactUrl})` }),
    tcp: tcpProbe(dialling),
    dns: dnsProbe({ guard, servers: nameServers }),
    synthetic: syntheticProbe({ ...options.synthetic, nameServers }),
  };
}
