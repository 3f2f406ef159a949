const RESOURCES = ['monitors', 'status_pages', 'alert_channels', 'incidents', 'api_keys'] as const;

/** Resources that can only be read in the API. */
const READ_ONLY = ['audit_log'] as const;

export type Permission =
  | `${(typeof RESOURCES)[number]}:${'read' | 'read_write'}`
  | `${(typeof READ_ONLY)[number]}:read`;

const readOnly = READ_ONLY.map((name) => `${name}:read` as const);

/** Every permission that a credential can hold; `read_write` includes `read`. */
export const PERMISSIONS: readonly Permission[] = [
  ...RESOURCES.flatMap((name) => [`${name}:read`, `${name}:read_write`] as const),
  ...readOnly,
];

/** Descriptions of the permissions, for a person who decides whether to grant them. */
export const PERMISSION_TEXTS: Readonly<Record<Permission, string>> = {
  'monitors:read': 'See monitors, their checks and webhook subscriptions',
  'monitors:read_write': 'See, create, change and delete monitors and webhook subscriptions',
  'status_pages:read': 'See status pages and their components',
  'status_pages:read_write': 'See, create, change and delete status pages and their components',
  'alert_channels:read': 'See alert channels and what was sent to them',
  'alert_channels:read_write': 'See, create, change and delete alert channels',
  'incidents:read': 'See incidents and maintenance',
  'incidents:read_write': 'See, create, change and delete incidents and maintenance',
  'api_keys:read': 'See the names and permissions of API keys',
  'api_keys:read_write': 'See, create and revoke API keys; a key that it creates works until the key itself is revoked',
  'audit_log:read': 'See who changed what in the organization',
};

/** The shortest list of permissions that grants every permission. */
export const ALL_PERMISSIONS: readonly Permission[] = [
  ...RESOURCES.map((name) => `${name}:read_write` as const),
  ...readOnly,
];

/** Returns whether the held permissions include the needed one; `read_write` includes `read`. */
export function grants(held: readonly string[], needed: string): boolean {
  return held.includes(needed) || (needed.endsWith(':read') && held.includes(`${needed}_write`));
}
