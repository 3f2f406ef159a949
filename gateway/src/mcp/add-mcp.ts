import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { reserveBody } from '../plugins/admission.ts';
import type { BodyBudget } from '../plugins/body-budget.ts';
import { RefusedCall } from './refused-call.ts';
import type { CallApi } from './tools.ts';

/** Maximum size of a request in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * Serves the Model Context Protocol at `/mcp`: tools for agents that call the public API with the caller's credential.
 * Each call is authenticated, authorized and limited like every other request. Tools that write are listed only at
 * `/mcp?write=true`. Requests are independent of each other, so there are no sessions.
 */
export function addMcp(app: FastifyInstance, baseUrl: string, bodies: BodyBudget): void {
  app.post('/mcp', {
    schema: { hide: true },
    bodyLimit: MAX_BODY_BYTES,
    // Authenticates before the body is read. The response to an agent without a credential says where to sign in.
    async onRequest(request, reply) {
      const me = await app.inject({ ...requestOf(request), method: 'GET', url: '/api/v1/me' });
      if (me.statusCode === 401) {
        const metadata = `${baseUrl}/.well-known/oauth-protected-resource`;
        reply.header('www-authenticate', `Bearer resource_metadata="${metadata}"`);
      }
      if (me.statusCode >= 400) return forward(reply, me.statusCode, me.headers, me.payload);
      reserveBody(bodies, me.json().data.organization.uuid, request, reply);
    },
    async handler(request, reply) {
      // A batch is refused, because the protocol no longer has batches, and one request could run many tools.
      if (Array.isArray(request.body)) throw new ServiceError('invalid', 'send one message, not a list of messages');
      const writes = (request.query as { write?: string }).write === 'true';
      const call = apiOf(app, request);
      const incoming = new Request(new URL(request.url, baseUrl), {
        method: 'POST',
        headers: headersOf(request),
        body: request.bodyText,
      });
      // Loaded by the first request, because it takes about 7 MiB, and many installations have no agents.
      const { respondToMcp } = await import('./respond-to-mcp.ts');
      const answer = await respondToMcp(incoming, request.body, { call, writes, baseUrl });
      return forward(reply, answer.status, Object.fromEntries(answer.headers), await answer.text());
    },
  });
}

function headersOf({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}

function forward(
  reply: FastifyReply,
  status: number,
  headers: Readonly<Record<string, unknown>>,
  body: string,
): FastifyReply {
  for (const name of ['content-type', 'retry-after', 'mcp-protocol-version']) {
    const value = headers[name];
    if (typeof value === 'string') reply.header(name, value);
  }
  return reply.code(status).send(body);
}

/** Returns the options that identify the caller in a request to the API. */
function requestOf({ ip, id, headers: { authorization = '' } }: FastifyRequest) {
  return { remoteAddress: ip, headers: { authorization, 'x-request-id': id } };
}

/** Returns a client of the public API that uses the credential and address of a request. */
function apiOf(app: FastifyInstance, request: FastifyRequest): CallApi {
  return async (method, path, body) => {
    const response = await app.inject({
      ...requestOf(request),
      method,
      url: `/api/v1${path}`,
      ...(body && { payload: body }),
    });
    const { data, error } = response.json();
    if (response.statusCode < 400) return data;
    throw new RefusedCall(String(error?.message ?? `the API responded with ${response.statusCode}`));
  };
}
