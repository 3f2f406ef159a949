import type { Role } from './role.ts';

/** Membership of a user in an organization. */
export interface Membership {
  readonly organization: { readonly id: string; readonly name: string };
  readonly role: Role;
}
