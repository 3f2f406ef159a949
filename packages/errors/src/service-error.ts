/** Kinds of errors. Each has one RPC code here and one HTTP status in the gateway. */
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

/** How many fields the message of an error names; `fields` has all of them. */
const MAX_NAMED_FIELDS = 5;

/** Returns field errors as kind `invalid`. The message alone says what to change. */
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

/** Returns the same error for what never existed and for what belongs to another organization. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `${what} not found`);
}

/** For a switch over a union that must name every case. */
export function unreachable(value: never): never {
  throw new ServiceError('internal', `unexpected value ${JSON.stringify(value)}`);
}
