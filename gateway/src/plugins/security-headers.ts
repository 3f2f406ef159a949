import type { FastifyInstance } from 'fastify';

/** Security headers of API responses. Pages set a policy of their own. */
export const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Adds the strictTransport() header to all responses. */
export function addStrictTransport(app: FastifyInstance, baseUrl: string): void {
  const headers = strictTransport(baseUrl);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}

/**
 * Returns the header that makes browsers use only TLS for a year (RFC 6797); no header if the public URL is not https.
 */
export function strictTransport(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}
