import { ALL_PERMISSIONS, type Permission } from '@tocsin/enums';

/** Roles of users in an organization, from the highest to the lowest. */
export const ROLES = ['owner', 'admin', 'member'] as const;

export type Role = (typeof ROLES)[number];

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}

const PERMISSIONS_OF_MEMBERS: readonly Permission[] = [
  'monitors:read_write',
  'status_pages:read_write',
  'alert_channels:read_write',
  'incidents:read_write',
];

/**
 * Returns the permissions that a role has in the API. An admin has the same permissions as an owner, because the API
 * can't delete organizations or change owners.
 */
export function permissionsOf(role: Role): readonly Permission[] {
  switch (role) {
    case 'owner':
    case 'admin':
      return ALL_PERMISSIONS;
    case 'member':
      return PERMISSIONS_OF_MEMBERS;
    default:
      return role satisfies never;
  }
}
