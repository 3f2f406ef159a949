const DAY_MS = 24 * 3_600_000;

/** Milliseconds after which an unused session ends. */
export const SESSION_MS = 30 * DAY_MS;

/**
 * Maximum number of sessions of a user. Starting a session beyond this number ends the session that has been unused for
 * the longest time.
 */
export const MAX_SESSIONS = 50;

/** Time limit for entering the second-factor code. */
export const AWAITING_MS = 10 * 60_000;

/**
 * Maximum number of a user's sessions that await a code, for each first factor. They do not count toward MAX_SESSIONS.
 */
export const MAX_AWAITING = 10;

/**
 * Minimum time between two recorded uses of a session, in milliseconds, so that most requests do not write to the
 * database.
 */
const USE_RESOLUTION_MS = 3_600_000;

/**
 * Milliseconds for which a user can change credentials without the password after the user's identity was verified.
 */
export const FRESH_MS = 15 * 60_000;

/** A browser in which a user is signed in. */
export interface Session {
  readonly id: string;
  /** Time at which the user signed in. */
  readonly createdAt: Date;
  /** Time at which the user's identity was verified; undefined if a provider did not state it. */
  readonly provedAt: Date | undefined;
  /** Organization at whose provider the user signed in. */
  readonly providerOrganizationId: string | undefined;
  /** Time of the last use, accurate to an hour. */
  readonly lastUsedAt: Date;
  readonly device: Device;
}

export interface Device {
  readonly address: string;
  readonly userAgent: string;
}

/** How a user begins to sign in. */
export type FirstFactor = 'link' | 'password' | 'provider';

export interface User {
  readonly id: string;
  readonly email: string;
}

/** A signed-in user, with the session of the request. */
export interface SignedIn {
  readonly user: User;
  readonly session: Session;
}

export function isUseWorthRecording({ lastUsedAt }: Pick<Session, 'lastUsedAt'>, now: Date): boolean {
  return now.getTime() - lastUsedAt.getTime() >= USE_RESOLUTION_MS;
}

/**
 * Returns whether the user's identity was verified so recently that changing credentials needs no further proof. The
 * start of the session does not count, because a provider that remembers the user confirms the sign-in of any person at
 * the browser.
 */
export function isFresh({ provedAt }: Pick<Session, 'provedAt'>, now: Date): boolean {
  return provedAt !== undefined && now.getTime() - provedAt.getTime() < FRESH_MS;
}
