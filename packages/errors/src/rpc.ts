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

/** Kinds of errors that are failures of a call and not of its request. */
const FAILURES: readonly ErrorKind[] = ['unavailable', 'deadline', 'internal'];

/**
 * Converts a received RPC status to the ServiceError that the other side threw. If the call itself failed, the cause
 * names `method`, such as `tocsin.monitor.v1.MonitorService/GetMonitor`. Log lines contain causes, and responses don't.
 */
export function fromConnectError(error: unknown, method?: string): ServiceError {
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
  const message = status.rawMessage;
  const reason = reasonOf(error, message);
  const isNamed = method !== undefined && FAILURES.includes(kind);
  const cause = isNamed ? new Error(`call of ${method}`, { cause: reason }) : reason;
  return new ServiceError(kind, message, { fields, retryAfterSeconds, cause });
}

/** Returns the first of an error and its causes that says something else than `message`. */
function reasonOf(error: unknown, message: string): unknown {
  let reason = error;
  while (reason instanceof Error && textOf(reason) === message) reason = reason.cause;
  return reason;
}

/** Returns the text of an error. An error without a message has no text, because its other properties say more. */
function textOf(error: Error): string | undefined {
  return error instanceof ConnectError ? error.rawMessage : error.message || undefined;
}
