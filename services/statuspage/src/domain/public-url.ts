import type { StatusPage } from './page.ts';

/** Public base URLs of this installation. */
export interface PublicAddress {
  /** Base URL of the gateway, without a slash at the end. */
  readonly baseUrl: string;
  /** Domain below which each page has a separate host; undefined if not configured. */
  readonly statusDomain?: string | undefined;
}

/**
 * Returns the public URL of a page: on its host below the status domain if there is one, otherwise below the gateway's
 * base URL.
 */
export function publicUrl(slug: string, { baseUrl, statusDomain }: PublicAddress) {
  return statusDomain === undefined ? `${baseUrl}/s/${slug}` : `https://${slug}.${statusDomain}`;
}

/** Returns the preferred URL of a page: its custom domain if that is active, otherwise its public URL. */
export function pageUrl({ slug, domain }: Pick<StatusPage, 'slug' | 'domain'>, address: PublicAddress): string {
  return domain?.status === 'active' ? `https://${domain.name}` : publicUrl(slug, address);
}

/** Returns the host of a page's public URL, and whether this host serves only the page. */
export function hostOf(slug: string, { baseUrl, statusDomain }: PublicAddress): { host: string; isOwn: boolean } {
  if (statusDomain === undefined) return { host: new URL(baseUrl).hostname, isOwn: false };
  return { host: `${slug}.${statusDomain}`, isOwn: true };
}

/** Returns the slug of the page that a host belongs to; undefined for other hosts. */
export function slugOfHost(host: string, { statusDomain }: PublicAddress): string | undefined {
  const suffix = `.${statusDomain?.toLowerCase()}`;
  if (statusDomain === undefined || !host.endsWith(suffix)) return undefined;
  return host.slice(0, -suffix.length);
}

/** Returns the host of the installation, which serves all pages at `/s/{slug}`. */
export function installationHost({ baseUrl }: PublicAddress): string {
  return new URL(baseUrl).hostname;
}
