import type { Observation } from '../../src/domain/observation.ts';
import { dnsProbe } from '../../src/probes/dns/dns-probe.ts';
import { httpProbe } from '../../src/probes/http/http-probe.ts';
import { tcpProbe } from '../../src/probes/tcp/tcp-probe.ts';
import { dialling } from '../dialling.ts';
import { DNS } from './dns-targets.ts';
import { encodedTargets } from './encoded-targets.ts';
import { BROKEN, ENDLESS, LYING } from './http-targets.ts';
import { HTTP2 } from './http2-targets.ts';
import { INSIDE } from './redirect-targets.ts';
import type { HostileTarget, Started } from './target.ts';
import { TLS } from './tls-targets.ts';

const NAMES: Record<string, string> = {
  'metadata.example': '169.254.169.254',
  'loopback.example': '::ffff:192.168.0.1',
};

const options = dialling({
  // The only private addresses that checks may reach.
  allow: '127.0.0.0/8',
  resolve: async (name) => [{ address: NAMES[name] ?? '', family: NAMES[name]?.includes(':') ? 6 : 4 }],
});
const probes = { http: httpProbe(options), tcp: tcpProbe(options), dns: dnsProbe(options) };

/** Runs a check of a target and returns the observation. */
export function check({ type, config }: Started, timeoutMs: number): Promise<Observation> {
  return probes[type](JSON.stringify(config), timeoutMs, new Map());
}

/** Returns all hostile targets. */
export function allTargets(): readonly HostileTarget[] {
  return [...BROKEN, ...LYING, ...ENDLESS, ...encodedTargets(), ...INSIDE, ...TLS, ...HTTP2, ...DNS];
}
