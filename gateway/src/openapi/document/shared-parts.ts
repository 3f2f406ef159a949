import { MAX_BODY_BYTES } from '../../endpoint/body-limits.ts';
import type { Components, Header, Reference, Response, Schema } from './types.ts';

const text = (maxLength: number, ...examples: string[]): Schema => ({ type: 'string', maxLength, examples });

const headers = {
  'x-request-id': {
    description: 'Id of this request in our logs: the one that was sent, or a new one',
    schema: text(128, '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'),
  },
  'x-ratelimit-limit': {
    description: 'Requests per minute that the credential may make in the rate bucket of the operation',
    schema: { type: 'integer', examples: [1200] },
  },
  'x-ratelimit-remaining': {
    description: 'How many of them are left',
    schema: { type: 'integer', examples: [1199] },
  },
  'x-ratelimit-reset': {
    description: 'When the minute ends, in Unix seconds',
    schema: { type: 'integer', examples: [1795168860] },
  },
  'retry-after': { description: 'Seconds after which to try again', schema: { type: 'integer', examples: [5] } },
  'www-authenticate': { description: 'The scheme of credentials', schema: text(16, 'Bearer') },
  'idempotency-replayed': {
    description: '`true`: this is the stored response to an earlier request with the same `Idempotency-Key`',
    schema: text(4, 'true'),
  },
  'x-tocsin-ignored': {
    description:
      'Fields of the body, keys of `config`, and query parameters (with a leading `?`) that are not known and have no effect; they may be misspelled. Up to 20 names, those of read-only fields last, and then the number of the others, such as `and 12 more`',
    schema: text(16_384, 'config.interval, foo, ?status'),
  },
  etag: { description: 'Tag of the response, for `If-None-Match`', schema: text(64, 'W/"3jQ0Zw"') },
  link: {
    description: 'Where the next page is; absent on the last one',
    schema: text(8_192, '</api/v1/monitors?limit=100&cursor=…>; rel="next"'),
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

const everywhere = ['x-request-id'] as const;
const counted = [...everywhere, 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

/** Component for each error status: its name, error type, description and example message. */
const errors: Readonly<Record<string, [name: string, type: string, description: string, message: string]>> = {
  400: ['BadRequest', 'bad_request', 'The body is empty, or not JSON in UTF-8', 'the body is not valid JSON'],
  401: [
    'Unauthorized',
    'invalid_api_key',
    'No credential, or one that is unknown, revoked or expired',
    'an API key or access token is required: authorization: Bearer <credential>',
  ],
  403: [
    'Forbidden',
    'forbidden',
    'The credential lacks the permission, or the organization is stopped until it is deleted',
    'this credential lacks the permission monitors:read_write',
  ],
  404: ['NotFound', 'not_found', 'It does not exist, or belongs to another organization', 'monitor not found'],
  409: [
    'Conflict',
    'conflict',
    'The request conflicts with another one, or with the state of the resource',
    'a request with this Idempotency-Key is still running',
  ],
  413: [
    'PayloadTooLarge',
    'payload_too_large',
    'The body is larger than the operation allows',
    `the body must be at most ${MAX_BODY_BYTES} bytes`,
  ],
  415: [
    'UnsupportedMediaType',
    'unsupported_media_type',
    'The content type of the body is not JSON, or the body is compressed',
    'the body must be JSON: content-type: application/json',
  ],
  422: ['Invalid', 'validation_error', 'Fields are wrong; `error.errors` names them', 'name is required'],
  429: [
    'RateLimited',
    'rate_limited',
    'Too many requests in this minute',
    'at most 600 requests of kind write a minute; try again when the minute is over',
  ],
  500: ['Internal', 'internal_error', 'An error on our side', 'an error on our side; it was logged'],
  503: [
    'Unavailable',
    'unavailable',
    'A part of the service is unavailable',
    'a part of the service is unavailable; try again',
  ],
};

const headersOfErrors: Readonly<Record<string, readonly HeaderName[]>> = {
  401: [...everywhere, 'www-authenticate'],
  429: [...counted, 'retry-after'],
  503: [...everywhere, 'retry-after'],
};

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send the request again, also after a 5xx or without a response: for 24 hours the same key gets the first response, and nothing is created twice',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$', examples: ['order-4711'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `etag` of an earlier response: 304 when nothing has changed since',
    schema: text(1_024, 'W/"3jQ0Zw"'),
  },
} as const;

/** Returns the components that many operations share. */
export function sharedParts(error: Schema): Components {
  return {
    headers,
    parameters,
    responses: Object.fromEntries(
      Object.entries(errors).map(([status, [name, type, description, message]]): [string, Response] => {
        const error422 = status === '422' && { errors: { name: ['is required'] } };
        return [
          name,
          {
            description,
            headers: headerReferences(headersOfErrors[status] ?? counted),
            content: { 'application/json': { schema: error, example: { error: { type, message, ...error422 } } } },
          },
        ];
      }),
    ),
  };
}

export function errorReference(status: string): Reference | undefined {
  const name = errors[status]?.[0];
  return name === undefined ? undefined : { $ref: `#/components/responses/${name}` };
}

export function parameterReference(name: keyof typeof parameters): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

/** Returns references to the rate-limit headers and to the headers in `more`. */
export function countedHeaders(...more: readonly HeaderName[]): Record<string, Reference> {
  return headerReferences([...counted, ...more]);
}

export function headerReferences(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
