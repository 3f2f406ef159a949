import swagger from '@fastify/swagger';
import { PERMISSION_TEXTS } from '@tocsin/enums';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { stringify } from 'yaml';
import type { Endpoint } from '../endpoint/route.ts';
import { ErrorSchema } from '../schemas/common.ts';
import { finishDocument } from './document/finish-document.ts';
import { toOpenApi30 } from './document/to-openapi-30.ts';
import type { Document } from './document/types.ts';
import { guideMarkdown, llmsText, readGuides, renderGuide } from './reference/guides.ts';
import { indexMarkdown, sectionMarkdown } from './reference/markdown.ts';
import { DOCS_POLICY } from './reference/page.ts';
import { renderIndex } from './reference/render-index.ts';
import { renderSection } from './reference/render-section.ts';
import { searchIndex } from './reference/search-index.ts';
import { pathOf, sectionsOf } from './reference/sections.ts';
import { webhooks } from './webhooks.ts';

const DESCRIPTION = `Uptime monitoring and status communication. Every resource belongs to the organization of the caller.

Bodies are JSON in UTF-8. A single resource is returned as \`{"data": {…}}\`, a list as \`{"data": […]}\`, newest first. Times
are UTC. URLs are absolute and follow RFC 3986.

Errors are \`{"error": {"type", "message"}}\`. A 422 adds \`error.errors\`: messages for each wrong field, by its path; the
message alone names the first five. A request that can't be read as HTTP gets a 400, 405, 408, 417 or 431 of the same form.
Fields and query parameters that are not known, and unknown variables of a webhook's \`payload_template\`, are ignored and named in the
response header \`x-tocsin-ignored\`. The names of query parameters begin with \`?\` there.

With \`validate_only=true\` a request with a body is only validated: the response is a 204 or the error, and nothing is changed.
A request without a body, such as a DELETE or a test, can't be validated without carrying it out: it is then a 422, and nothing is done.

Sizes have limits: of each body, string, list and map. All lists in a body together have at most 10,000 items. A body is nested at
most 64 levels deep, and has at most 100,000 list items and fields with those of a \`config\`.

Rates have limits, too: of requests per minute, of requests that run at once (16 for each organization; 200 more wait), of
bodies that arrive at once (4 MB for each organization), and of tests and redeliveries (100 an hour for each alert channel or
webhook, 1,000 for an organization). Beyond them a response is a 429 with \`retry-after\`.

Changes inside v1 only add fields, values and operations. A removal is announced at least 12 months ahead, in the response
headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594).`;

type Tag = Endpoint<TSchema, TSchema, TSchema, TSchema>['tag'];

const TAGS: Readonly<Record<Tag, string>> = {
  Account: 'The organization and the credential that make a request.',
  'API keys': 'Credentials for programs. A key can grant only permissions that it has itself.',
  'Audit log': 'Who changed the members, credentials and limits of the organization. Entries are kept for 400 days.',
  Monitors: 'Targets to check, how often, and when they count as down.',
  Heartbeats: 'Pings that jobs send to heartbeat monitors.',
  'Alert channels': 'Destinations of alerts about monitors.',
  Webhooks: 'Subscriptions of URLs to events, signed as Standard Webhooks specifies.',
  'Status pages': 'Public pages with a tree of groups and components.',
  Disruptions:
    'Outages and planned maintenance with a timeline. Disruptions and incidents are one resource under two names.',
};

/**
 * Serves the guides, `/openapi.yaml`, the same document as `/openapi.json` and `/api/v1/openapi.json`,
 * `/openapi-3.0.yaml` and `/docs`. The OpenAPI documents and `/docs` describe the routes that are registered after this
 * call.
 */
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
          oauth2: {
            type: 'oauth2',
            description: `OAuth 2.1 with PKCE (S256), and the device flow (RFC 8628). Clients find the endpoints at \`${baseUrl}/.well-known/oauth-authorization-server\``,
            flows: {
              authorizationCode: {
                authorizationUrl: `${baseUrl}/oauth/authorize`,
                tokenUrl: `${baseUrl}/oauth/token`,
                refreshUrl: `${baseUrl}/oauth/token`,
                scopes: PERMISSION_TEXTS,
              },
            },
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { permission, bucket } = route.config ?? {};
      const extensions = {
        ...(permission && { 'x-permission': permission }),
        ...(bucket && { 'x-rate-bucket': bucket }),
        ...(schema?.body !== undefined && { 'x-max-body-bytes': route.bodyLimit }),
      };
      return { schema: { ...schema, ...extensions }, url };
    },
  });
  // The document is built at the first request, when all routes have been added, and then cached.
  let document: Document | undefined;
  const described = () => {
    document ??= documentOf(app);
    return document;
  };
  const yaml = (value: object) => stringify(value, { aliasDuplicateObjects: false });
  serveText('/openapi.yaml', 'application/yaml', () => yaml(described()));
  for (const path of ['/openapi.json', '/api/v1/openapi.json']) {
    serveText(path, 'application/json', () => JSON.stringify(described()));
  }
  serveText('/openapi-3.0.yaml', 'application/yaml', () => yaml(toOpenApi30(described())));

  const guides = readGuides();
  const contents = () => ({ guides, sections: sectionsOf(described()) });
  servePage('/docs', () => renderIndex(described(), contents()));
  serveText('/docs.md', 'text/markdown', () => indexMarkdown(described(), contents().sections));
  serveText('/docs/search.json', 'application/json', () => JSON.stringify(searchIndex(described(), contents())));
  for (const tag of Object.keys(TAGS)) {
    servePage(pathOf(tag), () => renderSection(described(), tag, contents()));
    serveText(`${pathOf(tag)}.md`, 'text/markdown', () => sectionMarkdown(described(), tag));
  }
  for (const guide of guides) {
    servePage(`/docs/guides/${guide.name}`, () => renderGuide(guide, contents()));
    serveText(`/docs/guides/${guide.name}.md`, 'text/markdown', () => guideMarkdown(guide));
  }
  serveText('/llms.txt', 'text/plain', () => llmsText(contents(), baseUrl));

  function servePage(path: string, build: () => string): void {
    serveText(path, 'text/html', build, { 'content-security-policy': DOCS_POLICY, 'referrer-policy': 'same-origin' });
  }

  /** Serves a text, which is built at the first request. */
  function serveText(path: string, type: string, build: () => string, headers: Record<string, string> = {}): void {
    let text: string | undefined;
    app.get(path, { schema: { hide: true }, config: { isPage: true } }, (_request, reply) => {
      text ??= build();
      return reply.headers(headers).type(`${type}; charset=utf-8`).send(text);
    });
  }
}

/** Schema keywords that only the gateway uses. */
const INTERNAL_KEYWORDS = new Set(['x-message', 'x-pattern-message']);

/**
 * Returns the document as plain JSON. A schema with the keyword `x-document` is replaced by the keyword's value.
 * Validators and serializers use the schema itself.
 */
function documentOf(app: FastifyInstance): Document {
  const plain = <Value>(value: unknown): Value =>
    JSON.parse(JSON.stringify(value), (key, part) => {
      if (INTERNAL_KEYWORDS.has(key)) return undefined;
      return part?.['x-document'] ?? part;
    });
  const bare = plain<Document>(app.swagger());
  return finishDocument({ ...bare, webhooks: plain(webhooks()) }, plain(ErrorSchema));
}
