/** Public addresses of this installation. */
export interface PublicAddress {
  /** The gateway's, without a slash at the end. */
  readonly baseUrl: string;
  /** The domain below which each page has its own host; undefined if it is not configured. */
  readonly statusDomain?: string | undefined;
}

/**
 * Returns the public address of a page: on its own host below the status domain if there is one, else below the
 * gateway's address.
 */
export function publicUrl(slug: string, { baseUrl, statusDomain }: PublicAddress) {
  return statusDomain === undefined ? `${baseUrl}/s/${slug}` : `https://${slug}.${statusDomain}`;
}

/** Returns the host of that address, and whether it serves only this page. */
export function hostOf(slug: string, { baseUrl, statusDomain }: PublicAddress): { host: string; isOwn: boolean } {
  if (statusDomain === undefined) return { host: new URL(baseUrl).hostname, isOwn: false };
  return { host: `${slug}.${statusDomain}`, isOwn: true };
}

/** Returns the slug of the page that this host belongs to; undefined for every other host. */
export function slugOfHost(host: string, { statusDomain }: PublicAddress): string | undefined {
  const suffix = `.${statusDomain?.toLowerCase()}`;
  if (statusDomain === undefined || !host.endsWith(suffix)) return undefined;
  return host.slice(0, -suffix.length);
}

/** Returns the host of the installation itself, where all pages are at `/s/{slug}`. */
export function installationHost({ baseUrl }: PublicAddress): string {
  return new URL(baseUrl).hostname;
}
