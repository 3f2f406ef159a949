import { grants, PERMISSIONS } from '@tocsin/enums';

/** Returns permissions sorted and without duplicates. */
export function sortedPermissions(permissions: readonly string[]): string[] {
  return [...new Set(permissions)].sort();
}

/** Returns the errors in the permissions of a new key. `held` are the permissions of its creator. */
export function permissionProblems(permissions: readonly string[], held: readonly string[]): string[] {
  if (permissions.length === 0) return ['must name at least one permission'];
  return permissions.flatMap((permission) => {
    if (!PERMISSIONS.some((known) => known === permission)) {
      return [`${JSON.stringify(permission)} is not a permission; there are ${PERMISSIONS.join(', ')}`];
    }
    return grants(held, permission) ? [] : [`${permission} is more than this credential holds itself`];
  });
}
