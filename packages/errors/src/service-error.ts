/** What kind of trouble it is. Each kind has one RPC code here and one HTTP status in the gateway. */
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

/** Everything that is wrong with a request: path of the field → sentences such as "must be between 30 and 86400". */
export type FieldErrors = Record<string, string[]>;

/**
 * The one error that the product throws on purpose. It crosses RPC intact and is rendered only at the edge.
 * The message is for a person: what was wrong, where, and what would be right.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  /** Only for kind `invalid`, where it may be empty. */
  readonly fields: FieldErrors;

  constructor(kind: ErrorKind, message: string, options: { fields?: FieldErrors; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.fields = options.fields ?? {};
  }
}

/** A field error as kind `invalid`. Throws nothing by itself. */
export function invalid(fields: FieldErrors): ServiceError {
  const names = Object.keys(fields);
  return new ServiceError(
    'invalid',
    names.length === 1 ? `${names[0]} is not valid` : `${names.join(', ')} are not valid`,
    {
      fields,
    },
  );
}

/** Answers the same words for what never existed and for what belongs to somebody else. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `${what} not found`);
}

/** For a switch over a union that must name every case. */
export function unreachable(value: never): never {
  throw new ServiceError('internal', `unexpected value ${JSON.stringify(value)}`);
}
