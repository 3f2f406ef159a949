import { ServiceError } from '@tocsin/errors';

/** Returns a message field that its service always sets, although protobuf can't express that. */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ServiceError('internal', 'a service returned an incomplete response');
  return value;
}
