import type { Netguard } from '@tocsin/netguard';

/** A service whose address is fixed, unless the operator points it elsewhere. */
export interface Provider {
  /** Reaches that address, which no tenant can choose. */
  readonly apiGuard: Netguard;
  /** Where its API is, without a slash at the end: `https://slack.com`. */
  readonly apiUrl: string;
}

/** A provider that gives each tenant a URL on a host of its own. */
export interface UrlProvider extends Provider {
  /** Reaches what a tenant chose inside an opened range. */
  readonly guard: Netguard;
}

/** Where a tenant's URL leads: one on the provider's own hosts to where its API is, any other one there. */
export function targetOf(
  url: string,
  hosts: readonly string[],
  { guard, apiGuard, apiUrl }: UrlProvider,
): { guard: Netguard; url: URL } {
  const chosen = new URL(url);
  if (!hosts.includes(chosen.hostname)) return { guard, url: chosen };
  return { guard: apiGuard, url: new URL(`${apiUrl}${chosen.pathname}${chosen.search}`) };
}
