import { ALL_PERMISSIONS, grants, PERMISSIONS, type Permission } from '@tocsin/enums';

/**
 * Returns permissions in the order of PERMISSIONS. Omits a `read` permission if its `read_write` permission is present.
 */
export function compact(permissions: readonly string[]): Permission[] {
  return PERMISSIONS.filter((name) => permissions.includes(name) && !permissions.includes(`${name}_write`));
}

/**
 * Returns the permissions that a request asks for with its scope (RFC 6749 §3.3). Unknown scopes, such as `openid`, are
 * ignored. A request without a scope asks for all permissions. The result is empty if the request has only unknown
 * scopes.
 */
export function requestedPermissions(scope: string | undefined): Permission[] {
  if (scope === undefined || scope.trim() === '') return [...ALL_PERMISSIONS];
  return compact(scope.split(/\s+/));
}

/** Returns the permissions that are included in both of two sets of permissions. */
export function commonPermissions(first: readonly string[], second: readonly string[]): Permission[] {
  return compact(PERMISSIONS.filter((name) => grants(first, name) && grants(second, name)));
}
