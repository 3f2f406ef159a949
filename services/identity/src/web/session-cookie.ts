import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Seconds for which the browser stores the cookie, the longest time that browsers allow. The session itself ends
 * earlier, at a time that moves with each use.
 */
const MAX_AGE_S = 400 * 24 * 3600;

/** Cookie with the secret of a session. */
export interface SessionCookie {
  /** Returns the secret in the request; undefined if there is none. */
  read(request: IncomingMessage): string | undefined;
  set(response: ServerResponse, secret: string): void;
  clear(response: ServerResponse): void;
}

/**
 * Returns the cookie for an installation at `baseUrl`. With https, its name has the prefix `__Host-`, so that browsers
 * accept it only from this host and over TLS (RFC 6265bis §4.1.3.2).
 */
export function sessionCookie(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-tocsin-session' : 'tocsin-session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read({ headers }) {
      for (const pair of (headers.cookie ?? '').split(';')) {
        const [key = '', value] = pair.trim().split('=', 2);
        if (key === name) return value;
      }
      return undefined;
    },
    set(response, secret) {
      response.appendHeader('set-cookie', `${name}=${secret}; Max-Age=${MAX_AGE_S}; ${attributes}`);
    },
    clear(response) {
      response.appendHeader('set-cookie', `${name}=; Max-Age=0; ${attributes}`);
    },
  };
}
