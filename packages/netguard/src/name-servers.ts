import { getServers, Resolver } from 'node:dns/promises';
import { type Address, type Resolve, resolveBySystem } from './host.ts';

export interface NameServersOptions {
  /** `192.0.2.53` or `192.0.2.53:5353`; the machine's own unless given. */
  readonly servers?: readonly string[];
  /** How long an answer is waited for, and then once more; 2,500 unless given. */
  readonly timeoutMs?: number;
}

/**
 * Asks name servers over the network, and not the machine's resolver, which does so in one of the few threads that the
 * whole process has: some names whose server is silent would hold up all others. The price is that only names without a
 * dot, which no tenant can have registered, are looked for in /etc/hosts and in search domains.
 *
 * Throws what `dns.Resolver` throws: ENOTFOUND, ENODATA, ESERVFAIL, EREFUSED, ETIMEOUT.
 */
export function askNameServers({ servers = getServers(), timeoutMs = 2_500 }: NameServersOptions = {}): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2, maxTimeout: timeoutMs });
  resolver.setServers(servers);
  return async (hostname) => {
    if (!hostname.includes('.')) return resolveBySystem(hostname);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found: Address[] = [];
    if (v4.status === 'fulfilled') for (const address of v4.value) found.push({ address, family: 4 });
    if (v6.status === 'fulfilled') for (const address of v6.value) found.push({ address, family: 6 });
    if (found.length > 0 || v4.status === 'fulfilled') return found;
    // That there is no address can be said only when both questions were answered.
    throw isAnswered(v4.reason) && v6.status === 'rejected' ? v6.reason : v4.reason;
  };
}

function isAnswered(error: { code?: string }): boolean {
  return error.code === 'ENOTFOUND' || error.code === 'ENODATA';
}
