/** Page to which a user goes after signing in, if no other page was requested. */
export const DEFAULT_NEXT = '/account';

const MAX_LENGTH = 2_000;

/**
 * Returns the path and query to which a user is redirected after signing in. Returns the account page for everything
 * that is not a path of this origin, so that a link to the sign-in page can't redirect to another site.
 */
export function nextPath(text: string | null | undefined): string {
  if (!text?.startsWith('/') || text.length > MAX_LENGTH) return DEFAULT_NEXT;
  // Browsers treat a backslash like a slash and remove tabs and line breaks, so "/\example.com" names another host.
  if (/[\\\p{Cc}]/u.test(text) || text.startsWith('//')) return DEFAULT_NEXT;
  const url = URL.parse(text, ORIGIN);
  // A path such as "/..//example.com" becomes "//example.com".
  if (url?.origin !== ORIGIN || url.pathname.startsWith('//')) return DEFAULT_NEXT;
  return url.pathname + url.search;
}

/** Origin against which paths are resolved. Its name can't exist (RFC 6761 §6.4). */
const ORIGIN = 'http://tocsin.invalid';
