import { parseHttpUrl } from './parse-http-url.ts';

const NOT_HTTP = 'must be an http or https URL such as https://example.com/health';

/** Maximum length of a host that a message repeats. */
const MAX_SHOWN_HOST = 100;

/** A character of a path, query or fragment that RFC 3986 does not allow there, or a `%` that encodes nothing. */
const UNENCODED = /%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/?#%-]/iu;

/**
 * Returns why parseHttpUrl() refuses a text, and what would be right; undefined for a valid URL. The message contains
 * no user name or password.
 */
export function problemOfHttpUrl(text: string): string | undefined {
  if (parseHttpUrl(text)) return undefined;
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain white space or control characters';
  if (text.includes('\\')) return 'must not contain a backslash';
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/iu.exec(text) ?? [];
  if (authority === undefined) return `${NOT_HTTP}: it must begin with http:// or https://`;
  const [, host = '', port] =
    /^(\[[^\]]*\]?|[^:]*)(?::(.*))?$/u.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  return problemOfPort(port) ?? problemOfHost(host) ?? problemOfRest(rest) ?? NOT_HTTP;
}

function problemOfPort(port: string | undefined): string | undefined {
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) <= 65_535);
  return isPort ? undefined : 'must have a port between 1 and 65535, or none';
}

function problemOfHost(host: string): string | undefined {
  if (host === '') return `${NOT_HTTP}: it has no host`;
  if (host.length > 253) return 'must have a host of at most 253 characters';
  const parsed = URL.parse(`https://${host}/`)?.hostname;
  if (parsed === undefined || !parseHttpUrl(`https://${parsed}/`)) return 'must have a valid host name or IP address';
  if (parsed === host.toLowerCase()) return undefined;
  const example =
    host.length > MAX_SHOWN_HOST ? 'xn--mnchen-3ya.example instead of münchen.example' : `${parsed} instead of ${host}`;
  return `must have a host that all programs read in the same way: ${example}`;
}

function problemOfRest(rest: string): string | undefined {
  // A second # is not allowed within the fragment.
  const found = UNENCODED.exec(rest)?.[0] ?? (rest.split('#').length > 2 ? '#' : undefined);
  if (found === undefined) return undefined;
  const character = found.toWellFormed();
  return `must have percent-encoded characters after the host: ${encodeURIComponent(character)} instead of ${character}`;
}
