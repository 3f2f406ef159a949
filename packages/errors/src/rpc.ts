import { Code, ConnectError } from '@connectrpc/connect';
import { FieldViolationsSchema } from '@tocsin/proto/errors/v1/errors';
import { type ErrorKind, type FieldErrors, ServiceError } from './service-error.ts';

const CODE_OF_KIND: Record<ErrorKind, Code> = {
  invalid: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  not_found: Code.NotFound,
  conflict: Code.AlreadyExists,
  rate_limited: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  deadline: Code.DeadlineExceeded,
  internal: Code.Internal,
};

const KIND_OF_CODE = new Map<Code, ErrorKind>([
  ...Object.entries(CODE_OF_KIND).map(([kind, code]) => [code, kind as ErrorKind] as const),
  // Code of a connection that broke during a call.
  [Code.Aborted, 'unavailable'],
  [Code.FailedPrecondition, 'conflict'],
  [Code.Canceled, 'deadline'],
  [Code.OutOfRange, 'invalid'],
]);

/** Header of an RPC status with the seconds after which to try again. */
const RETRY_AFTER_HEADER = 'retry-after';

/** Converts any thrown value to an RPC status. An unexpected error becomes INTERNAL without its text. */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (!(error instanceof ServiceError))
    return new ConnectError('internal error', Code.Internal, undefined, undefined, error);
  const violations = Object.entries(error.fields).map(([field, messages]) => ({ field, messages }));
  const details = violations.length > 0 ? [{ desc: FieldViolationsSchema, value: { violations } }] : [];
  const { retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? undefined : { [RETRY_AFTER_HEADER]: String(retryAfterSeconds) };
  return new ConnectError(error.message, CODE_OF_KIND[error.kind], headers, details, error);
}

/** Converts a received RPC status to the ServiceError that the other side threw. */
export function fromConnectError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof ConnectError && error.cause instanceof ServiceError) return error.cause;
  const status = ConnectError.from(error);
  const fields: FieldErrors = {};
  for (const { violations } of status.findDetails(FieldViolationsSchema)) {
    for (const violation of violations) fields[violation.field] = violation.messages;
  }
  // A proxy may send a date instead of seconds; it is ignored.
  const seconds = Number.parseInt(status.metadata.get(RETRY_AFTER_HEADER) ?? '', 10);
  const retryAfterSeconds = Number.isNaN(seconds) ? undefined : seconds;
  const kind = KIND_OF_CODE.get(status.code) ?? 'internal';
  return new ServiceError(kind, status.rawMessage, { fields, retryAfterSeconds, cause: error });
}
