import type { FastifyInstance } from 'fastify';

/** Security headers of API responses. Pages set a policy of their own. */
export const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Makes browsers use only TLS for a year if the public URL has https (RFC 6797). */
export function addStrictTransport(app: FastifyInstance, baseUrl: string): void {
  if (!baseUrl.startsWith('https:')) return;
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('strict-transport-security', 'max-age=31536000');
  });
}
