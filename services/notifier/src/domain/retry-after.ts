/**
 * Returns the milliseconds that a `retry-after` header asks to wait, given as seconds or as an HTTP date (RFC 9110
 * §10.2.3). Never negative; undefined if it is absent or invalid.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts many other strings, such as "-1"; an HTTP date begins with a weekday.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
