import { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import { permissionProblems, sortedPermissions } from './check-permissions.ts';

export interface NewApiKey {
  readonly name: string;
  readonly permissions: readonly string[];
  /** Time of expiry; undefined if the key does not expire. */
  readonly expiresAt: Date | undefined;
}

/**
 * Validates a new key against the permissions of its creator. Returns the key with sorted permissions.
 * @throws ServiceError `invalid` that names all invalid fields.
 */
export function checkNewApiKey(wanted: NewApiKey, now: Date, held: readonly string[]): NewApiKey {
  const errors = new FieldErrorCollector();
  errors.add('name', problemOfLine(wanted.name, 255));
  for (const problem of permissionProblems(wanted.permissions, held)) errors.add('permissions', problem);
  if (wanted.expiresAt && wanted.expiresAt <= now) errors.add('expires_at', 'must be in the future');
  errors.throwIfAny();
  return { ...wanted, permissions: sortedPermissions(wanted.permissions) };
}
