/** Whether a URL is what was asked for: a pattern, or a text in which `*` stands for no slash and `**` for anything. */
export function matchesUrl(match: string | RegExp, url: string): boolean {
  if (match instanceof RegExp) return match.test(url);
  if (match === url) return true;
  const expression = match
    .replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&')
    .replaceAll(/\*\*|\*/g, (star) => (star === '**' ? '.*' : '[^/]*'));
  return new RegExp(`^${expression}$`).test(url);
}
