/** Characters of paths and queries according to RFC 3986 §3.3 and §3.4. Other characters must be percent-encoded. */
const PATH = "(?:[\\w.~!$&'()*+,;=:@/-]|%[\\da-f]{2})*";
const QUERY = "(?:[\\w.~!$&'()*+,;=:@/?-]|%[\\da-f]{2})*";
const USER = "(?:[\\w.~!$&'()*+,;=:-]|%[\\da-f]{2})*";
const HOST = '[\\w-]+(?:\\.[\\w-]+)*\\.?|\\[[\\da-f:.]+\\]';
const HTTP_URL = new RegExp(
  `^https?://(?:${USER}@)?(${HOST})(?::\\d{1,5})?(?:/${PATH})?(?:\\?${QUERY})?(?:#${QUERY})?$`,
  'i',
);

/** Maximum length of a host name (RFC 1035 §2.3.4). */
const MAX_HOST = 253;

/**
 * Parses an absolute http or https URL strictly (RFC 3986), so that all parsers agree on it. Refuses a missing host,
 * white space, control characters, backslashes, and hosts that parsers rewrite, such as `0x7f.1`. Returns undefined for
 * an invalid URL.
 */
export function parseHttpUrl(text: string): URL | undefined {
  const host = HTTP_URL.exec(text)?.[1];
  const url = host === undefined || host.length > MAX_HOST ? null : URL.parse(text);
  if (!url || host === undefined) return undefined;
  return host.startsWith('[') || url.hostname === host.toLowerCase() ? url : undefined;
}
