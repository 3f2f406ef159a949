import type { Role } from './role.ts';

/** Membership of a user in an organization. */
export interface Membership {
  readonly organization: {
    readonly id: string;
    readonly name: string;
    /** Time at which the organization, which is stopped, is deleted; undefined if it works. */
    readonly deleteAt?: Date | undefined;
  };
  readonly role: Role;
}
