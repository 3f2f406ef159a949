const MINUTE_MS = 60_000;

export interface AttemptLimit {
  readonly attempts: number;
  /** Time in which this number of attempts is possible. It begins with the first attempt. */
  readonly windowMs: number;
}

/** Limits of attempts that need no session, by kind. A network is an IPv4 address or an IPv6 /64 network. */
export const ATTEMPT_LIMITS = {
  /**
   * Sign-in links for one email address. The time is shorter than that for which a link is valid. If somebody else uses
   * up the limit, the user therefore still has an email with a valid link.
   */
  link_for_email: { attempts: 3, windowMs: 10 * MINUTE_MS },
  link_from_network: { attempts: 30, windowMs: 10 * MINUTE_MS },
  /** Passwords for one email address. Sign-in links are not affected. */
  password_for_email: { attempts: 10, windowMs: 15 * MINUTE_MS },
  password_from_network: { attempts: 30, windowMs: 15 * MINUTE_MS },
  /** Codes of the second factor of one user, after the first factor was right. */
  code_of_user: { attempts: 5, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, AttemptLimit>;

export type AttemptKind = keyof typeof ATTEMPT_LIMITS;
