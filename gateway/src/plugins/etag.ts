import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/**
 * Adds an ETag to the responses to reads, and responds 304 if the caller already has the current version (RFC 9110
 * §13.1.2).
 */
export function addEtags(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isRead = (request.method === 'GET' || request.method === 'HEAD') && reply.statusCode === 200;
    if (!isRead || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    const etag = `"${hash('sha1', payload, 'base64url')}"`;
    // A browser may cache the response for its user, but must revalidate it before each use.
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    if (!matchesEtag(request.headers['if-none-match'], etag)) return payload;
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    return null;
  });
}

/**
 * Returns whether an If-None-Match header contains an ETag. Compares ETags weakly, as RFC 9110 requires for this
 * header.
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const strong = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((candidate) => strong(candidate) === strong(etag));
}
