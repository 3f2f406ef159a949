/**
 * Returns the milliseconds to wait according to a `retry-after` header. The header contains seconds or an HTTP date
 * (RFC 9110 §10.2.3). The result is never negative. Returns undefined if the header is absent or invalid.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Require the weekday at the beginning of HTTP dates, because Date.parse also accepts strings such as "-1".
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
