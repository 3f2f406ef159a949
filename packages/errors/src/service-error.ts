/** Kinds of errors. Each kind has one RPC code in this package and one HTTP status in the gateway. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'unavailable'
  | 'deadline'
  | 'internal';

/** Errors in a request by field path: phrases such as "must be between 30 and 86400". */
export type FieldErrors = Record<string, string[]>;

/**
 * The only type of error that RPC callers receive unchanged. The gateway converts it to an HTTP response. The message
 * is for people. For invalid input, it contains the name of each field or parameter and the valid values.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  /** Field errors, only for kind `invalid`. May be empty. */
  readonly fields: FieldErrors;
  /** Seconds after which to try again, if that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: ErrorKind,
    message: string,
    options: { fields?: FieldErrors; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.fields = options.fields ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Maximum number of fields in an error message. `fields` contains all of them. */
const MAX_NAMED_FIELDS = 5;

/** Returns field errors as a ServiceError of kind `invalid`. Its message alone is sufficient to fix the request. */
export function invalid(fields: FieldErrors): ServiceError {
  return new ServiceError('invalid', describeFields(fields), { fields });
}

/** Describes up to five fields with their reasons, and counts the others: "name is required; and 3 more". */
export function describeFields(fields: FieldErrors, unlisted = 0): string {
  const entries = Object.entries(fields);
  const named = entries.slice(0, MAX_NAMED_FIELDS).map(([field, reasons]) => `${field} ${reasons.join(', ')}`);
  const more = entries.length - named.length + unlisted;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/**
 * Returns the error for a missing resource and for a resource of another organization, so that they can't be
 * distinguished.
 */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `${what} not found`);
}

/** Throws. For the default case of a switch that must handle every case of a union. */
export function unreachable(value: never): never {
  throw new ServiceError('internal', `unexpected value ${JSON.stringify(value)}`);
}
