import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';

/** Collects the descriptions of all routes that are registered after it. */
export async function addOpenApi(app: FastifyInstance, baseUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tocsin',
        version: '1.0.0',
        description:
          'Uptime monitoring and status communication. Every resource belongs to the organization of the caller.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an OAuth 2.1 access token' },
        },
      },
    },
  });
  let document: string | undefined;
  app.get('/openapi.yaml', { schema: { hide: true } }, (_request, reply) => {
    document ??= stringify(app.swagger(), { aliasDuplicateObjects: false });
    return reply.type('application/yaml; charset=utf-8').send(document);
  });
}
