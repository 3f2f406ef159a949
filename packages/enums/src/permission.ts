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

/** The smallest set of permissions that includes all permissions. */
export const ALL_PERMISSIONS: readonly Permission[] = [
  ...RESOURCES.map((name) => `${name}:read_write` as const),
  ...readOnly,
];

/** Returns whether the held permissions include the needed one; `read_write` includes `read`. */
export function grants(held: readonly string[], needed: string): boolean {
  return held.includes(needed) || (needed.endsWith(':read') && held.includes(`${needed}_write`));
}
