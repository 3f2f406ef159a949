import type { FastifyInstance } from 'fastify';

/** Nothing but pages shows, runs or frames anything, and those say for themselves what they may. */
export const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Where the public comes by TLS, browsers are told to come by nothing else for a year (RFC 6797). */
export function addStrictTransport(app: FastifyInstance, baseUrl: string): void {
  if (!baseUrl.startsWith('https:')) return;
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('strict-transport-security', 'max-age=31536000');
  });
}
