import type { FastifyReply } from 'fastify';

/**
 * Ends a hook that has sent the response, so that neither other hooks nor the handler run. Returns a promise that is
 * never settled. If the hook returned the reply, Fastify would run them when the client closes its connection before it
 * has received the whole response.
 */
export function sentByHook(_reply: FastifyReply): Promise<never> {
  return new Promise(() => undefined);
}
