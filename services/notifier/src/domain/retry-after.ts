/**
 * Milliseconds that a `retry-after` header asks to wait: seconds or an HTTP date (RFC 9110 §10.2.3). Undefined when
 * there is none that can be understood; never negative.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes many other texts for dates, "-1" among them; an HTTP date names its weekday first.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
