export { FieldErrorCollector } from './collect-field-errors.ts';
export { fromConnectError, toConnectError } from './rpc.ts';
export {
  describeFields,
  type ErrorKind,
  type FieldErrors,
  invalid,
  notFound,
  ServiceError,
  unreachable,
} from './service-error.ts';
