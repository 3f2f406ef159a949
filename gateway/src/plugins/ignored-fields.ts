import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { ignoredFields, ignoredHeader } from '../endpoint/ignored-fields.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Schema of the body; what it does not know is ignored. */
    body?: TSchema;
  }
}

/** Names the fields of a body that were ignored in the header `x-tocsin-ignored`, for they may be misspelled. */
export function addIgnoredFields(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    const { body } = request.routeOptions.config;
    if (!body) return;
    const names = ignoredFields(body, request.body);
    if (names.length > 0) reply.header('x-tocsin-ignored', ignoredHeader(names));
  });
}
