import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { stringify } from 'yaml';
import type { Endpoint } from '../endpoint/route.ts';
import { ErrorAnswer } from '../schemas/common.ts';
import { finishDocument } from './document/finish-document.ts';
import type { Document } from './document/types.ts';
import { DOCS_POLICY, renderDocs } from './reference/render-docs.ts';

const DESCRIPTION = `Uptime monitoring and status communication. Every resource belongs to the organization of the caller.

Bodies are JSON. A single resource is answered as \`{"data": {…}}\`, a list as \`{"data": […]}\`, newest first. Errors are
\`{"error": {"type", "message"}}\`; a 422 adds \`errors\` with the words for each wrong field, by its path. Fields that are not
known are ignored. Times are UTC.

Inside v1 changes only add: fields, words, operations. What is to go is announced at least 12 months before, in the headers
\`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) of its answers.`;

type Tag = Endpoint<TSchema, TSchema, TSchema, TSchema>['tag'];

const TAGS: Readonly<Record<Tag, string>> = {
  Account: 'Who calls, and what they may.',
  'API keys': 'Credentials of programs. A key can hand out no more than it holds.',
  Monitors: 'What is checked, how often, and when it counts as down.',
  Heartbeats: 'What jobs call that a heartbeat monitor waits for.',
  'Alert channels': 'Where alerts about monitors go.',
  Webhooks: 'URLs that are told of events, signed as Standard Webhooks asks for.',
  'Status pages': 'Public pages with a tree of groups and components.',
  Disruptions:
    'What went wrong or is planned, with a timeline. Disruptions and incidents are one resource under two names.',
};

/** Serves `/openapi.yaml` and `/docs`, which describe all routes that are registered after it. */
export async function addOpenApi(app: FastifyInstance, baseUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tocsin',
        version: '1.0.0',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an OAuth 2.1 access token' },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { permission, bucket } = route.config ?? {};
      const facts = { ...(permission && { 'x-permission': permission }), ...(bucket && { 'x-rate-bucket': bucket }) };
      return { schema: { ...schema, ...facts }, url };
    },
  });
  // Made when first asked for, after all routes were added, and kept.
  let document: Document | undefined;
  let yaml: string | undefined;
  let docs: string | undefined;
  const described = () => {
    document ??= documentOf(app);
    return document;
  };
  app.get('/openapi.yaml', { schema: { hide: true } }, (_request, reply) => {
    yaml ??= stringify(described(), { aliasDuplicateObjects: false });
    return reply.type('application/yaml; charset=utf-8').send(yaml);
  });
  app.get('/docs', { schema: { hide: true } }, (_request, reply) => {
    docs ??= renderDocs(described());
    return reply
      .headers({ 'content-security-policy': DOCS_POLICY, 'referrer-policy': 'same-origin' })
      .type('text/html; charset=utf-8')
      .send(docs);
  });
}

/**
 * As plain JSON: what describes a schema to TypeBox alone is left out, and what the serializer must not know is told.
 */
function documentOf(app: FastifyInstance): Document {
  const plain = <Value>(value: unknown): Value =>
    JSON.parse(JSON.stringify(value), (_key, part) => {
      if (part?.['x-type'] === undefined) return part;
      const { 'x-type': type, ...rest } = part;
      return { type, ...rest };
    });
  return finishDocument(plain(app.swagger()), plain(ErrorAnswer));
}
