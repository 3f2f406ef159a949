import type { Socket } from 'node:net';
import { describeFields, type ErrorKind, type FieldErrors, invalid, ServiceError } from '@tocsin/errors';
import { REQUEST_ID_HEADER } from '@tocsin/runtime';
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BadRequest } from '../endpoint/bad-request.ts';
import { fieldErrors } from '../endpoint/field-errors.ts';
import { isBrowser, sendPlainPage } from '../endpoint/plain-page.ts';
import { sentByHook } from '../endpoint/sent-by-hook.ts';
import { boundFieldErrors, cut } from './bound-field-errors.ts';
import { addCommonHeaders, requestIdFrom } from './observe.ts';

const UNAVAILABLE = 'a part of the service is unavailable; try again';

interface Rendering {
  readonly status: number;
  readonly type: string;
  /** Message that replaces the original message, which may contain internal addresses or SQL. */
  readonly message?: string;
}

/** Status, type and message of each kind of error. */
const RENDERING: Record<ErrorKind, Rendering> = {
  invalid: { status: 422, type: 'validation_error' },
  unauthenticated: { status: 401, type: 'invalid_api_key' },
  forbidden: { status: 403, type: 'forbidden' },
  not_found: { status: 404, type: 'not_found' },
  conflict: { status: 409, type: 'conflict' },
  rate_limited: { status: 429, type: 'rate_limited' },
  unavailable: { status: 503, type: 'unavailable', message: UNAVAILABLE },
  deadline: { status: 503, type: 'unavailable', message: UNAVAILABLE },
  internal: { status: 500, type: 'internal_error', message: 'an error on our side; it was logged' },
};

/** Seconds after which to try again if a part of the service is unavailable. */
const RETRY_AFTER_SECONDS = 5;
const MAX_MESSAGE = 2_000;
const MAX_PATH = 200;

export interface ErrorBody {
  error: { type: string; message: string; errors?: FieldErrors };
}

/** Maps Fastify's own errors to the errors of the API. */
function ofFramework(error: FastifyError, request: FastifyRequest): (Rendering & { message: string }) | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { status: 400, type: 'bad_request', message: 'the body is not valid JSON' };
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        status: 413,
        type: 'payload_too_large',
        message: `the body must be at most ${request.routeOptions.bodyLimit} bytes`,
      };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return {
        status: 415,
        type: 'unsupported_media_type',
        message: 'the body must be JSON: content-type: application/json',
      };
    default:
      if (error.statusCode === 400) return { status: 400, type: 'bad_request', message: error.message };
      if (error.statusCode === 415) return { status: 415, type: 'unsupported_media_type', message: error.message };
      return undefined;
  }
}

/** Adds the handlers that render the errors of all routes. */
export function addErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | ServiceError, request, reply) => {
    if (error instanceof ServiceError) return sendServiceError(error, request, reply);
    if (error.validation) {
      return sendServiceError(invalid(fieldErrors(error.validation)), request, reply);
    }
    const known = ofFramework(error, request);
    if (known) return send(reply, known.status, { error: { type: known.type, message: known.message } });
    return sendServiceError(new ServiceError('internal', error.message, { cause: error }), request, reply);
  });

  function rejectUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = pathOf(request);
    const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
    if (allowed.length === 0 && isBrowser(request)) {
      return sendPlainPage(
        reply,
        404,
        'There is no page here',
        'The address may be misspelled, or the page may have moved.',
      );
    }
    if (allowed.length === 0) return sendNothingAt(path, reply);
    reply.header('allow', allowed.join(', '));
    return send(reply, 405, methodNotAllowed(request.method, allowed));
  }
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new BadRequest('a host header is required');
    }
    // Unknown paths are rejected before the body is read, because Fastify might otherwise reject the body with its own
    // error.
    if (request.is404) return sentByHook(rejectUnknown(request, reply));
  });
  app.setNotFoundHandler(rejectUnknown);
}

/** Responds to a path that can't be decoded or whose id is too long. Fastify runs no hooks for such a request. */
export function rejectBadPath(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  addCommonHeaders(request, reply);
  sendNothingAt(pathOf(request), reply);
}

function sendNothingAt(path: string, reply: FastifyReply): FastifyReply {
  return send(reply, 404, { error: { type: 'not_found', message: `there is nothing at ${cut(path, MAX_PATH)}` } });
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? '';
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function methodNotAllowed(method: string, allowed: readonly string[]): ErrorBody {
  const message = `${cut(method, MAX_PATH)} is not possible here, only ${allowed.join(', ')}`;
  return { error: { type: 'method_not_allowed', message } };
}

function sendServiceError(error: ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, type, message = error.message } = RENDERING[error.kind];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  const retryAfter = error.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  if (error.kind !== 'invalid') return send(reply, status, { error: { type, message: cut(message, MAX_MESSAGE) } });
  const { listed, unlisted } = boundFieldErrors(error.fields);
  const description = Object.keys(listed).length > 0 ? describeFields(listed, unlisted) : message;
  return send(reply, status, { error: { type, message: cut(description, MAX_MESSAGE), errors: listed } });
}

function send(reply: FastifyReply, status: number, body: ErrorBody): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}

/** Responses to errors of Node's HTTP parser, by error code. */
const PARSER_ERRORS: Readonly<Record<string, readonly [status: string, body: ErrorBody]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    { error: { type: 'headers_too_large', message: 'the request line and headers must be at most 16 KB' } },
  ],
  HPE_INVALID_METHOD: ['405 Method Not Allowed', methodNotAllowed('this method', METHODS)],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    { error: { type: 'request_timeout', message: 'the request did not arrive in time' } },
  ],
};

const UNREADABLE: readonly [status: string, body: ErrorBody] = [
  '400 Bad Request',
  { error: { type: 'bad_request', message: 'this is not a valid HTTP/1.1 request' } },
];

/** Matches a valid request line. Its method may be unknown to Node. */
const REQUEST_LINE = /^[\w-]+ \S+ HTTP\/1\.[01]\r?\n/;

/** Responds to parser errors with the usual error body, and closes the connection. */
export function handleClientError(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // `rawPacket` is a Buffer, although Fastify's types say otherwise.
  const isMethod = error.code !== 'HPE_INVALID_METHOD' || REQUEST_LINE.test(String(error.rawPacket));
  const [status, body] = (isMethod && PARSER_ERRORS[error.code ?? '']) || UNREADABLE;
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    [REQUEST_ID_HEADER]: crypto.randomUUID(),
    ...(status.startsWith('405') && { allow: METHODS.join(', ') }),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${text}`);
}

/**
 * Responds 417 to an `Expect` header other than `100-continue` (RFC 9110 §10.1.1), with the usual error body instead of
 * Node's empty one.
 */
export function addExpectationHandler(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => {
    const body: ErrorBody = { error: { type: 'expectation_failed', message: 'expect can only be 100-continue' } };
    const text = JSON.stringify(body);
    response.writeHead(417, {
      'content-length': Buffer.byteLength(text),
      'content-type': 'application/json; charset=utf-8',
      [REQUEST_ID_HEADER]: requestIdFrom(request.headers[REQUEST_ID_HEADER]),
    });
    response.end(text);
  });
}
