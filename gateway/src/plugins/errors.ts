import { type ErrorKind, type FieldErrors, invalid, ServiceError } from '@tocsin/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fieldErrors } from '../endpoint/field-errors.ts';
import { addCommonHeaders } from './observe.ts';

const AWAY = 'a part of the service is away for a moment; try again';

interface Rendering {
  readonly status: number;
  readonly type: string;
  /** Instead of the error's own words, which name what is inside: addresses, statements. */
  readonly words?: string;
}

/** How each kind of trouble looks from outside (spec: HTTP in general). The only place that knows. */
const RENDERING: Record<ErrorKind, Rendering> = {
  invalid: { status: 422, type: 'validation_error' },
  unauthenticated: { status: 401, type: 'invalid_api_key' },
  forbidden: { status: 403, type: 'forbidden' },
  not_found: { status: 404, type: 'not_found' },
  conflict: { status: 409, type: 'conflict' },
  rate_limited: { status: 429, type: 'rate_limited' },
  unavailable: { status: 503, type: 'unavailable', words: AWAY },
  deadline: { status: 503, type: 'unavailable', words: AWAY },
  internal: { status: 500, type: 'internal_error', words: 'something went wrong on our side' },
};

const RETRY_AFTER_SECONDS = 5;

export interface ErrorBody {
  error: { type: string; message: string };
  errors?: FieldErrors;
}

/** What Fastify itself refuses, in the words of the contract. */
function ofFramework(error: FastifyError): { status: number; type: string; message: string } | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { status: 400, type: 'bad_request', message: 'the body is not valid JSON' };
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { status: 413, type: 'payload_too_large', message: 'the body must be at most 1 MB' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return {
        status: 415,
        type: 'unsupported_media_type',
        message: 'the body must be JSON: content-type: application/json',
      };
    default:
      return error.statusCode === 400 ? { status: 400, type: 'bad_request', message: error.message } : undefined;
  }
}

/** Renders every error of every route. */
export function addErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | ServiceError, request, reply) => {
    if (error instanceof ServiceError) return sendServiceError(error, request, reply);
    if (error.validation) {
      return sendServiceError(invalid(fieldErrors(error.validation)), request, reply);
    }
    const known = ofFramework(error);
    if (known) return send(reply, known.status, { error: { type: known.type, message: known.message } });
    return sendServiceError(new ServiceError('internal', error.message, { cause: error }), request, reply);
  });

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
    if (allowed.length === 0) return sendNothingAt(path, reply);
    reply.header('allow', allowed.join(', '));
    const message = `${request.method} is not possible here, only ${allowed.join(', ')}`;
    return send(reply, 405, { error: { type: 'method_not_allowed', message } });
  });
}

/** A path that can't be decoded, or with an id that is far too long. No hook has seen such a request. */
export function answerBadPath(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  addCommonHeaders(request, reply);
  sendNothingAt(request.url.split('?')[0] ?? '', reply);
}

function sendNothingAt(path: string, reply: FastifyReply): FastifyReply {
  return send(reply, 404, { error: { type: 'not_found', message: `there is nothing at ${path}` } });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function sendServiceError(error: ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, type, words } = RENDERING[error.kind];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 503) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  const body: ErrorBody = { error: { type, message: words ?? error.message } };
  if (error.kind === 'invalid') body.errors = error.fields;
  return send(reply, status, body);
}

function send(reply: FastifyReply, status: number, body: ErrorBody): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}
