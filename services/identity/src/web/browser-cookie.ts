import type { IncomingMessage, ServerResponse } from 'node:http';

/** A cookie that only this installation reads. */
export interface BrowserCookie {
  /** Returns the value in a request; undefined if the request does not have the cookie. */
  read(request: IncomingMessage): string | undefined;
  set(response: ServerResponse, value: string): void;
  clear(response: ServerResponse): void;
}

/**
 * Returns a cookie for an installation at `baseUrl`. With https, its name has the prefix `__Host-`, so that browsers
 * accept it only from this host and over TLS (RFC 6265bis §4.1.3.2).
 */
export function browserCookie(baseUrl: string, suffix: string, maxAgeSeconds: number): BrowserCookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = `${isSecure ? '__Host-' : ''}tocsin-${suffix}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read({ headers }) {
      for (const pair of (headers.cookie ?? '').split(';')) {
        const [key = '', value] = pair.trim().split('=', 2);
        if (key === name) return value;
      }
      return undefined;
    },
    set(response, value) {
      response.appendHeader('set-cookie', `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`);
    },
    clear(response) {
      response.appendHeader('set-cookie', `${name}=; Max-Age=0; ${attributes}`);
    },
  };
}
