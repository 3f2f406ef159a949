import type { CallOptions } from '@connectrpc/connect';
import type { Permission } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import { isValidError, validateOnly, withIdempotencyId, withTokens } from '@tocsin/runtime';
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Caller } from '../clients/credentials.ts';
import { rawJsonMember } from '../raw-json/raw-member.ts';
import { ErrorSchema } from '../schemas/common.ts';
import { BadRequest } from './bad-request.ts';
import { MAX_BODY_BYTES } from './body-limits.ts';
import { collectFieldErrors } from './collect-field-errors.ts';

type Success = 200 | 201 | 204;

/**
 * Declaration of an endpoint. It determines request validation, handler types, response serialization, the permission
 * check and the OpenAPI description.
 */
export interface Endpoint<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends TSchema,
> {
  readonly method: HTTPMethods;
  /** Path below `/api/v1`, with parameters such as `:id`. */
  readonly path: string;
  readonly summary: string;
  readonly tag:
    | 'Account'
    | 'API keys'
    | 'Audit log'
    | 'Monitors'
    | 'Heartbeats'
    | 'Alert channels'
    | 'Webhooks'
    | 'Status pages'
    | 'Disruptions';
  /** Permission that the credential needs. If absent, any valid credential is accepted. */
  readonly permission?: Permission;
  /** Rate-limit bucket. Defaults to `read` for GET and to `write` for other methods. */
  readonly bucket?: 'stats';
  /**
   * Whether the response waits for servers outside this installation. Such requests have their own concurrency limit.
   */
  readonly isWaiting?: true;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Schemas of the body's `config`, by resource type. Keys that are not in the schema are reported as ignored. */
  readonly configs?: Readonly<Record<string, TSchema>>;
  /**
   * Maximum size of the body. Defaults to 256 KB for a route with a body schema; other routes read and ignore up to 16
   * KB.
   */
  readonly maxBodyBytes?: number;
  readonly response: Response;
  /**
   * Whether the handler returns exactly the fields of `response`. The response is then not serialized with its schema,
   * which takes twice as long for large responses.
   */
  readonly isExact?: true;
  /** Content type of a response that is a Buffer instead of JSON. */
  readonly media?: 'image/jpeg';
  /**
   * Whether the resource's state can cause a 409. Independently of this, every POST can return 409 while its
   * Idempotency-Key is in use.
   */
  readonly mayConflict?: true;
  /** Status of a successful response. Defaults to 200. */
  readonly status?: Success;
  readonly handle: (request: {
    readonly params: Static<Params>;
    readonly query: Static<Query>;
    readonly body: Static<Body>;
    /** Returns the JSON text of a body field exactly as it was sent. */
    readonly textOf: (field: keyof Static<Body> & string) => string | undefined;
    readonly caller: Caller;
    /** RPC call options that carry the caller's token, and the id of a request with an idempotency key. */
    readonly as: CallOptions;
    /** Address of the client. */
    readonly address: string;
    /** Adds a Link header with the next page. Must not be called for the last page. */
    readonly nextPage: (cursor: string) => void;
  }) => Promise<Static<Response>>;
}

/** An endpoint that can be added to a server. */
export type Route = (app: FastifyInstance) => void;

/**
 * Parameter `:id` of a path. The service decides whether the id exists, and reports an id that is not a UUID as not
 * found.
 */
export const IdParams = Type.Object({ id: Type.String({ maxLength: 100, description: 'UUID' }) });

/** Schema of a 204 response, whose body is empty. */
export const NoContent = Type.Null();

/** Query of every endpoint with a body. Such an endpoint has no other query parameters. */
const ValidateQuery = Type.Object({
  validate_only: Type.Optional(
    Type.Boolean({
      description: 'Only validates the request: the response is a 204 or the error, and nothing is changed',
    }),
  ),
});

/** Query of a GET without query parameters. */
const NoQuery = Type.Object({});

const JSON_TYPE = 'application/json; charset=utf-8';

/** Error statuses of every endpoint. */
const ALWAYS = [401, 403, 429, 500, 503];

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
    ...(params ? [404] : []),
    // Errors from reading the request body, which is read even if the route does not use it.
    ...(method === 'GET' ? [] : [400, 413, 415]),
    // A POST can conflict with another request that has the same Idempotency-Key. Other methods conflict only if the
    // endpoint declares it.
    ...(method === 'POST' || endpoint.mayConflict ? [409] : []),
    // A request that changes something without a body gets a 422 for `validate_only`.
    ...(query || method !== 'GET' ? [422] : []),
  ];
  return (app) => {
    app.route({
      method,
      url: path,
      config: {
        bucket,
        ...(endpoint.isWaiting && { isWaiting: true }),
        ...(permission && { permission }),
        // A request without a body refuses `validate_only`, so this parameter is not ignored either.
        query: query ?? (method === 'GET' ? NoQuery : ValidateQuery),
        ...(body && { body, response }),
        ...(endpoint.configs && { configs: endpoint.configs }),
      },
      ...(body && { bodyLimit: endpoint.maxBodyBytes ?? MAX_BODY_BYTES }),
      // The handler runs even if the schema rejects the body, because the service may find further errors.
      attachValidation: true,
      schema: {
        summary,
        tags: [tag],
        security: [{ bearer: [] }, { oauth2: permission ? [permission] : [] }],
        description: `${permission ? `Permission: \`${permission}\`. ` : ''}Rate limit: ${bucket}.`,
        ...(params && { params }),
        ...((query ?? body) && { querystring: query ?? ValidateQuery }),
        ...(body && { body }),
        response: {
          ...(body && { 204: NoContent }),
          [status]: media ? { content: { [media]: { schema: response } } } : response,
          ...Object.fromEntries(failures.map((code) => [code, ErrorSchema])),
        },
      },
      ...(body && { preValidation: requireBody }),
      async handler(request, reply) {
        const isValidated =
          body !== undefined && (request.query as Static<typeof ValidateQuery>).validate_only === true;
        if (!body && method !== 'GET') refuseValidateOnly(request.query);
        const result = await request.server.admit(request, reply, async () => {
          const caller = await request.server.authenticateAgain(request);
          const as = withTokens(caller.tokens);
          const input = {
            // The casts are safe, because params, query and body were validated against these schemas.
            params: request.params as Static<Params>,
            query: request.query as Static<Query>,
            body: request.body as Static<Body>,
            textOf: (field: string) => rawJsonMember(request.bodyText, field),
            caller,
            as: withIdempotencyId(request.claimedKey?.idempotencyId, as),
            address: request.ip,
            nextPage: (cursor: string) => reply.header('link', linkToNext(request.url, cursor)),
          };
          const validate = (tried: unknown) => handle({ ...input, body: tried as Static<Body>, as: validateOnly(as) });
          if (request.validationError) throw await collectFieldErrors(request, validate);
          return isValidated ? accept(validate(request.body)) : handle(input);
        });
        if (media) reply.type(media);
        const success = isValidated ? 204 : status;
        if (endpoint.isExact && success !== 204) reply.type(JSON_TYPE).serializer(JSON.stringify);
        return reply.code(success).send(success === 204 ? null : result);
      },
    });
  };
}

/**
 * Waits for an RPC call that only validates a request. Ignores the error that means that the request is valid.
 * @throws ServiceError if the request is invalid or the call fails.
 */
async function accept(validation: Promise<unknown>): Promise<undefined> {
  await validation.catch((error: unknown) => {
    if (!isValidError(error)) throw error;
  });
}

/**
 * Refuses the query parameter `validate_only` of a request that changes something and has no body. There is nothing to
 * validate without making the change, and the parameter promises that nothing is changed.
 * @throws ServiceError `invalid` unless the parameter is absent or `false`.
 */
function refuseValidateOnly(query: unknown): void {
  const { validate_only: value = 'false' } = query as Readonly<Record<string, unknown>>;
  if (value === 'false') return;
  throw invalid({
    validate_only: ["can't be used here: this request can't be validated without carrying it out; nothing was done"],
  });
}

/**
 * Ensures that the request has a body that can be parsed.
 * @throws BadRequest when the body is missing or can't be parsed.
 */
async function requireBody({ bodyText }: FastifyRequest): Promise<void> {
  if (bodyText === '') throw new BadRequest('the body is empty; it must be a JSON object');
}

/**
 * Returns a link to the next page (RFC 8288), relative to the request so that it works with every host name of the
 * gateway.
 */
function linkToNext(url: string, cursor: string): string {
  const [path = '', query = ''] = url.split('?');
  const search = new URLSearchParams(query);
  search.set('cursor', cursor);
  return `<${path}?${search}>; rel="next"`;
}
