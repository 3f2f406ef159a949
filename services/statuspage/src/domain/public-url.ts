/** Where the public finds this installation. */
export interface PublicAddress {
  /** The gateway's, without a slash at the end. */
  readonly baseUrl: string;
  /** The domain below which each page has a host of its own; undefined where there is none. */
  readonly statusDomain?: string | undefined;
}

/**
 * Where the public finds a page: on a host of its own below the status domain where there is one, else below the
 * gateway's address.
 */
export function publicUrl(slug: string, { baseUrl, statusDomain }: PublicAddress) {
  return statusDomain === undefined ? `${baseUrl}/s/${slug}` : `https://${slug}.${statusDomain}`;
}

/** The host of that, and whether it is the page's own. */
export function hostOf(slug: string, { baseUrl, statusDomain }: PublicAddress): { host: string; isOwn: boolean } {
  if (statusDomain === undefined) return { host: new URL(baseUrl).hostname, isOwn: false };
  return { host: `${slug}.${statusDomain}`, isOwn: true };
}

/** The slug of the page whose own host this is; undefined for every other host. */
export function slugOfHost(host: string, { statusDomain }: PublicAddress): string | undefined {
  const suffix = `.${statusDomain?.toLowerCase()}`;
  if (statusDomain === undefined || !host.endsWith(suffix)) return undefined;
  return host.slice(0, -suffix.length);
}
