import type { CallOptions } from '@connectrpc/connect';
import { withToken } from '@tocsin/runtime';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Caller } from '../clients/credentials.ts';
import { ErrorAnswer } from '../schemas/common.ts';
import { callerOf, type Permission } from './authenticate.ts';

type Success = 200 | 201 | 204;

/**
 * One endpoint, said once: this validates the request, types the handler, serializes the answer, asks for the permission
 * and describes itself in OpenAPI.
 */
export interface Endpoint<Params extends TSchema, Body extends TSchema, Answer extends TSchema> {
  readonly method: HTTPMethods;
  /** Below `/api/v1`, with `:id` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly tag: 'Account' | 'Monitors' | 'Alert channels' | 'Status pages' | 'Disruptions';
  /** Absent: any valid credential will do. */
  readonly permission?: Permission;
  readonly params?: Params;
  readonly body?: Body;
  readonly answer: Answer;
  /** 200 unless it says otherwise. */
  readonly status?: Success;
  readonly handle: (request: {
    readonly params: Static<Params>;
    readonly body: Static<Body>;
    readonly caller: Caller;
    /** Call options that act as the caller. */
    readonly as: CallOptions;
  }) => Promise<Static<Answer>>;
}

/** An endpoint that can be added to a server. */
export type Route = (app: FastifyInstance) => void;

/** `/:id` in a path. Whether it is a UUID is for the service to say: what is none is not found. */
export const IdParams = Type.Object({ id: Type.String({ description: 'UUID' }) });

/** The answer of a 204. */
export const Nothing = Type.Null();

/** What every endpoint may answer. */
const ALWAYS = [401, 500, 503];

export function route<Answer extends TSchema, Params extends TSchema, Body extends TSchema>(
  endpoint: Endpoint<Params, Body, Answer>,
): Route {
  const { method, path, summary, tag, permission, params, body, answer, status = 200, handle } = endpoint;
  const failures = [
    ...ALWAYS,
    ...(permission ? [403] : []),
    ...(params ? [404] : []),
    ...(body ? [400, 413, 415, 422] : []),
  ];
  return (app) => {
    app.route({
      method,
      url: path,
      config: permission ? { permission } : {},
      schema: {
        summary,
        tags: [tag],
        security: [{ bearer: [] }],
        ...(permission && { description: `Permission: \`${permission}\`` }),
        ...(params && { params }),
        ...(body && { body }),
        response: { [status]: answer, ...Object.fromEntries(failures.map((code) => [code, ErrorAnswer])) },
      },
      async handler(request, reply) {
        const caller = callerOf(request);
        const result = await handle({
          // Both were validated against these very schemas.
          params: request.params as Static<Params>,
          body: request.body as Static<Body>,
          caller,
          as: withToken(caller.token),
        });
        return reply.code(status).send(status === 204 ? null : result);
      },
    });
  };
}
