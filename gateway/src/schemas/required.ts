import { ServiceError } from '@tocsin/errors';

/**
 * Returns the value of a message field that the responding service always sets. Protobuf can't declare a message field
 * as required.
 */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ServiceError('internal', 'a service returned an incomplete response');
  return value;
}
