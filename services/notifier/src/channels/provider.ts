import type { Netguard } from '@tocsin/netguard';

/** A service whose API has the same address for all tenants. The operator can configure the address. */
export interface Provider {
  /** Guards connections to `apiUrl`, which no tenant can choose. */
  readonly apiGuard: Netguard;
  /** Base URL of the provider's API without a trailing slash, such as `https://slack.com`. */
  readonly apiUrl: string;
}

/** A provider that gives each tenant a URL on its own hosts. */
export interface UrlProvider extends Provider {
  /** Guards connections to hosts that tenants choose: only allowed address ranges can be reached. */
  readonly guard: Netguard;
}

/**
 * Returns the URL to send to. If the host of a URL is one of the provider's hosts, replaces the host with the host of
 * the configured API. Returns other URLs unchanged.
 */
export function targetOf(
  url: string,
  hosts: readonly string[],
  { guard, apiGuard, apiUrl }: UrlProvider,
): { guard: Netguard; url: URL } {
  const chosen = new URL(url);
  if (!hosts.includes(chosen.hostname)) return { guard, url: chosen };
  return { guard: apiGuard, url: new URL(`${apiUrl}${chosen.pathname}${chosen.search}`) };
}
