import { PERMISSIONS } from '@tocsin/enums';
import { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import { permissionProblems, sortedPermissions } from './check-permissions.ts';
import type { ServiceCredential } from './service-credential.ts';
import { SERVICE_TOKEN_MS } from './token-lifetime.ts';

/** Services that a program can call directly. The checker accepts no calls. */
const CALLABLE_SERVICES: readonly string[] = ['disruption', 'identity', 'monitor', 'notifier', 'statuspage'];

const MIN_TOKEN_SECONDS = 10;
const MAX_TOKEN_SECONDS = SERVICE_TOKEN_MS / 1000;

/** Requested properties of a service credential. The token lifetime is optional. */
export type NewServiceCredential = Pick<ServiceCredential, 'name' | 'permissions' | 'audiences' | 'expiresAt'> & {
  readonly tokenSeconds: number | undefined;
};

/**
 * Validates a new service credential. Returns it with sorted permissions and services, and with a token lifetime.
 * @throws ServiceError `invalid` that names all invalid fields.
 */
export function checkNewServiceCredential(
  { name, permissions, audiences, expiresAt, tokenSeconds = MAX_TOKEN_SECONDS }: NewServiceCredential,
  now: Date,
): Pick<ServiceCredential, 'name' | 'permissions' | 'audiences' | 'expiresAt' | 'tokenSeconds'> {
  const errors = new FieldErrorCollector();
  errors.add('name', problemOfLine(name, 255));
  for (const problem of permissionProblems(permissions, PERMISSIONS)) errors.add('permissions', problem);
  if (audiences.length === 0) errors.add('audiences', 'must name at least one service');
  for (const audience of audiences) {
    if (CALLABLE_SERVICES.includes(audience)) continue;
    errors.add('audiences', `${JSON.stringify(audience)} is not a service; there are ${CALLABLE_SERVICES.join(', ')}`);
  }
  if (!Number.isInteger(tokenSeconds) || tokenSeconds < MIN_TOKEN_SECONDS || tokenSeconds > MAX_TOKEN_SECONDS) {
    errors.add('token_seconds', `must be a whole number from ${MIN_TOKEN_SECONDS} to ${MAX_TOKEN_SECONDS}`);
  }
  if (expiresAt && expiresAt <= now) errors.add('expires_at', 'must be in the future');
  errors.throwIfAny();
  return {
    name,
    permissions: sortedPermissions(permissions),
    audiences: [...new Set(audiences)].sort(),
    expiresAt,
    tokenSeconds,
  };
}
