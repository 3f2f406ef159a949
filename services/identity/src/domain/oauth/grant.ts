const DAY_MS = 24 * 3_600_000;

/** How long a grant is valid. After that, the user has to grant access again. */
export const GRANT_MS = 365 * DAY_MS;

/** Maximum number of grants of a user. A grant beyond this number revokes the oldest grant. */
export const MAX_GRANTS = 100;

/** Maximum number of grants on the page that lists the programs with access to an organization. */
export const MAX_SHOWN_GRANTS = 500;

/** A client's access to an organization on behalf of a user. */
export interface Grant {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Permissions that the user granted. The user's role may allow fewer. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Time of the last use, accurate to a minute; undefined if the grant was never used. */
  readonly lastUsedAt: Date | undefined;
}

/** A grant as its user sees it. */
export interface NamedGrant extends Grant {
  readonly organizationName: string;
  /** Whether the client has a valid token or code. */
  readonly isUsable: boolean;
}

/** A grant as the owners and admins of its organization see it. */
export interface MemberGrant extends Grant {
  readonly email: string;
}

/** Why a grant was revoked. */
export type RevocationReason =
  | 'revoked_by_client'
  | 'revoked_by_user'
  | 'revoked_by_manager'
  | 'reuse'
  | 'replaced'
  | 'membership_ended'
  | 'password_changed'
  | 'email_restored'
  | 'user_deleted';
