import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { BlockedAddressError, type Netguard } from '@tocsin/netguard';
import type { Probe } from '../../app/ports.ts';
import { CheckFailure } from '../../domain/check-failure.ts';
import { runTraced } from '../connection/check-trace.ts';
import { type DnsConfig, parseDnsConfig } from './dns-config.ts';
import { askDns, type NameServer } from './dns-exchange.ts';
import { isDnsName, reverseName } from './dns-name.ts';
import { recordsOf } from './dns-records.ts';
import { type DnsRecord, dnsProblem } from './dns-verdict.ts';

export interface DnsProbeOptions {
  readonly guard: Netguard;
  /** Name servers for monitors without a `nameserver`. Defaults to the machine's own name servers. */
  readonly servers?: readonly string[] | undefined;
}

/** Returns the probe for dns checks. */
export function dnsProbe({ guard, servers = getServers() }: DnsProbeOptions): Probe {
  const own = servers.map(parseServer);
  return (configJson, timeoutMs) =>
    runTraced(timeoutMs, async (trace) => {
      const config = parseDnsConfig(configJson);
      const name = askedName(config);
      const began = performance.now();
      const asked = config.nameserver ? [vetted(guard, parseServer(config.nameserver))] : own;
      const packet = await askDns({ name, type: config.recordType }, asked, trace);
      trace.phases.dns = performance.now() - began;
      const found = recordsOf(config.recordType, packet.answers ?? []);
      // Private addresses are hidden only in responses from the checker's own name servers. A name server in a config
      // is always public, so everybody can send the same query to it.
      const records = config.nameserver ? found : hidePrivate(guard, config.host, found);
      return { failure: dnsProblem({ ...config, name }, { responseCode: (packet.flags ?? 0) & 0xf, records }) };
    });
}

function askedName({ host, recordType }: DnsConfig): string {
  const name = (recordType === 'PTR' ? reverseName(host) : undefined) ?? domainToASCII(host).replace(/\.$/, '');
  if (!isDnsName(name)) throw new CheckFailure('error', `"${host}" is not a name that DNS could hold`);
  return name;
}

/**
 * Marks records as hidden if they contain an address that checks may not reach. Marks all records if the host itself is
 * such an address (PTR).
 */
function hidePrivate(guard: Netguard, host: string, records: readonly DnsRecord[]): DnsRecord[] {
  const isPrivate = (text: string) => isIP(text) !== 0 && !guard.isAllowed(text);
  return records.map((record) => (isPrivate(host) || isPrivate(record.text) ? { ...record, isHidden: true } : record));
}

function vetted(guard: Netguard, server: NameServer): NameServer {
  const { address, port } = server;
  if (guard.isAllowed(address, port)) return server;
  throw new BlockedAddressError(address, address, guard.isAllowed(address) ? port : undefined);
}

/** Parses `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`. */
function parseServer(text: string): NameServer {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d+))?$/.exec(text) ?? [undefined, text];
  return { address: v6 ?? v4 ?? text, port: Number(port ?? 53) };
}
