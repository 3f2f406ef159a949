import type { Role } from './role.ts';

/** Membership of a user in an organization. */
export interface Membership {
  readonly organization: {
    readonly id: string;
    readonly name: string;
    /** Time at which a stopped organization is deleted; undefined if the organization is not stopped. */
    readonly deleteAt?: Date | undefined;
  };
  readonly role: Role;
}
