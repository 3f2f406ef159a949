import type { Netguard } from '@tocsin/netguard';

/** A service whose address is fixed, unless the operator points it elsewhere. */
export interface Provider {
  /** Reaches that address, which no tenant can choose. */
  readonly apiGuard: Netguard;
  /** Where its API is, without a slash at the end: `https://slack.com`. */
  readonly apiUrl: string;
}

/** A provider that gives each tenant a URL on its own hosts. */
export interface UrlProvider extends Provider {
  /** Reaches what a tenant chose inside an opened range. */
  readonly guard: Netguard;
}

/** Returns where to send: a URL on the provider's hosts goes to the configured API, any other one is used directly. */
export function targetOf(
  url: string,
  hosts: readonly string[],
  { guard, apiGuard, apiUrl }: UrlProvider,
): { guard: Netguard; url: URL } {
  const chosen = new URL(url);
  if (!hosts.includes(chosen.hostname)) return { guard, url: chosen };
  return { guard: apiGuard, url: new URL(`${apiUrl}${chosen.pathname}${chosen.search}`) };
}
