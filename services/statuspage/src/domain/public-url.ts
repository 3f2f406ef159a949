/**
 * Where the public finds a page: on a host of its own below the status domain where there is one, else below the
 * gateway's address.
 */
export function publicUrl(
  slug: string,
  { baseUrl, statusDomain }: { baseUrl: string; statusDomain?: string | undefined },
) {
  return statusDomain === undefined ? `${baseUrl}/s/${slug}` : `https://${slug}.${statusDomain}`;
}
