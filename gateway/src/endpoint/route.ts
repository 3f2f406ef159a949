import type { CallOptions } from '@connectrpc/connect';
import type { Permission } from '@tocsin/enums';
import { validateOnly, withTokens } from '@tocsin/runtime';
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Caller } from '../clients/credentials.ts';
import { rawJsonMember } from '../json/raw-member.ts';
import { callerOf } from '../plugins/authenticate.ts';
import { ErrorSchema } from '../schemas/common.ts';
import { BadRequest } from './bad-request.ts';
import { MAX_BODY_BYTES } from './body-limits.ts';
import { collectFieldErrors } from './collect-field-errors.ts';

type Success = 200 | 201 | 204;

/**
 * One endpoint, said once: this validates the request, types the handler, serializes the response, asks for the
 * permission and describes itself in OpenAPI.
 */
export interface Endpoint<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends TSchema,
> {
  readonly method: HTTPMethods;
  /** Below `/api/v1`, with `:id` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly tag:
    | 'Account'
    | 'API keys'
    | 'Monitors'
    | 'Heartbeats'
    | 'Alert channels'
    | 'Webhooks'
    | 'Status pages'
    | 'Disruptions';
  /** Absent: any valid credential will do. */
  readonly permission?: Permission;
  /** Absent: `read` for GET, `write` for everything else. */
  readonly bucket?: 'stats';
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Schemas of the body's `config`, by type of the resource; what they do not know is ignored. */
  readonly configs?: Readonly<Record<string, TSchema>>;
  /** Limit of the body. Absent: 256 KB where there is one, else 16 KB, which is read and ignored. */
  readonly maxBodyBytes?: number;
  readonly response: Response;
  /** The response is of this type, and a Buffer, instead of JSON. */
  readonly media?: 'image/jpeg';
  /** May be refused because of what is there already (409), beside what an Idempotency-Key brings. */
  readonly mayConflict?: true;
  /** Defaults to 200. */
  readonly status?: Success;
  readonly handle: (request: {
    readonly params: Static<Params>;
    readonly query: Static<Query>;
    readonly body: Static<Body>;
    /** Returns a field of the body exactly as it was sent. */
    readonly textOf: (field: keyof Static<Body> & string) => string | undefined;
    readonly caller: Caller;
    /** Call options that act as the caller. */
    readonly as: CallOptions;
    /** Adds a link to the next page; none for the last page. */
    readonly nextPage: (cursor: string) => void;
  }) => Promise<Static<Response>>;
}

/** An endpoint that can be added to a server. */
export type Route = (app: FastifyInstance) => void;

/** `/:id` in a path. Whether it is a UUID is for the service to say: anything else is not found. */
export const IdParams = Type.Object({ id: Type.String({ maxLength: 100, description: 'UUID' }) });

/** The response of a 204. */
export const NoContent = Type.Null();

/** Every endpoint may respond with these. */
const ALWAYS = [401, 429, 500, 503];

export function route<Response extends TSchema, Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  endpoint: Endpoint<Params, Query, Body, Response>,
): Route {
  const {
    method,
    path,
    summary,
    tag,
    permission,
    params,
    query,
    body,
    response,
    media,
    status = 200,
    handle,
  } = endpoint;
  const bucket = endpoint.bucket ?? (method === 'GET' ? 'read' : 'write');
  const failures = [
    ...ALWAYS,
    ...(permission ? [403] : []),
    ...(params ? [404] : []),
    // A body that the route does not use is read all the same.
    ...(method === 'GET' ? [] : [400, 413, 415]),
    // Two requests with one Idempotency-Key, or the endpoint's own reason.
    ...(method === 'POST' || endpoint.mayConflict ? [409] : []),
    ...(body || query || method === 'POST' ? [422] : []),
  ];
  return (app) => {
    app.route({
      method,
      url: path,
      config: {
        bucket,
        ...(permission && { permission }),
        ...(body && { body }),
        ...(endpoint.configs && { configs: endpoint.configs }),
      },
      ...(body && { bodyLimit: endpoint.maxBodyBytes ?? MAX_BODY_BYTES }),
      // A body that the schema refuses still goes to the service, which may find more that is wrong.
      attachValidation: true,
      schema: {
        summary,
        tags: [tag],
        security: [{ bearer: [] }],
        description: `${permission ? `Permission: \`${permission}\`. ` : ''}Rate limit: ${bucket}.`,
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body }),
        response: {
          [status]: media ? { content: { [media]: { schema: response } } } : response,
          ...Object.fromEntries(failures.map((code) => [code, ErrorSchema])),
        },
      },
      ...(body && { preValidation: requireBody }),
      async handler(request, reply) {
        const caller = callerOf(request);
        const as = withTokens(caller.tokens);
        const input = {
          // All three were validated against these very schemas.
          params: request.params as Static<Params>,
          query: request.query as Static<Query>,
          body: request.body as Static<Body>,
          textOf: (field: string) => rawJsonMember(request.bodyText, field),
          caller,
          as,
          nextPage: (cursor: string) => reply.header('link', linkToNext(request.url, cursor)),
        };
        if (request.validationError) {
          throw await collectFieldErrors(request, (rest) =>
            handle({ ...input, body: rest as Static<Body>, as: validateOnly(as) }),
          );
        }
        const result = await handle(input);
        if (media) reply.type(media);
        return reply.code(status).send(status === 204 ? null : result);
      },
    });
  };
}

/** @throws BadRequest when there is nothing that could be validated. */
async function requireBody({ bodyText }: FastifyRequest): Promise<void> {
  if (bodyText === '') throw new BadRequest('the body is empty; it must be a JSON object');
}

/** RFC 8288, relative to the request, so that it works under every host name of the gateway. */
function linkToNext(url: string, cursor: string): string {
  const [path = '', query = ''] = url.split('?');
  const search = new URLSearchParams(query);
  search.set('cursor', cursor);
  return `<${path}?${search}>; rel="next"`;
}
