/**
 * Returns whether a URL matches a pattern: a regular expression, or a string in which `*` matches all characters except
 * slashes and `**` matches all characters.
 */
export function matchesUrl(match: string | RegExp, url: string): boolean {
  if (match instanceof RegExp) return match.test(url);
  if (match === url) return true;
  const expression = match
    .replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&')
    .replaceAll(/\*\*|\*/g, (star) => (star === '**' ? '.*' : '[^/]*'));
  return new RegExp(`^${expression}$`).test(url);
}
