import { ServiceError } from '@tocsin/errors';

/** A message field that its service always fills, although protobuf can't say so. */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ServiceError('internal', 'a service returned an incomplete response');
  return value;
}
