import type { Role } from './role.ts';

/** Membership of a user in an organization. */
export interface Membership {
  readonly organization: {
    readonly id: string;
    readonly name: string;
    /**
     * Time at which the organization will be deleted. The organization is stopped until then. Undefined if no deletion
     * was requested.
     */
    readonly deleteAt?: Date | undefined;
  };
  readonly role: Role;
}
