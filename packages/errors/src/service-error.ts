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

/**
 * Field errors as kind `invalid`, with a message that tells the only one or names them all. Throws nothing by itself.
 */
export function invalid(fields: FieldErrors): ServiceError {
  const entries = Object.entries(fields);
  const [only] = entries;
  const message =
    only && entries.length === 1
      ? `${only[0]} ${only[1].join(', ')}`
      : `${entries.length} fields are not valid: ${entries.map(([name]) => name).join(', ')}`;
  return new ServiceError('invalid', message, { fields });
}

/** Answers the same words for what never existed and for what belongs to somebody else. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `${what} not found`);
}

/** For a switch over a union that must name every case. */
export function unreachable(value: never): never {
  throw new ServiceError('internal', `unexpected value ${JSON.stringify(value)}`);
}
