const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Factor by which the limit of a site (an IPv6 /48 network) exceeds the limit of one /64 network. The factor is small,
 * because one person can control all 65,536 /64 networks of a site.
 */
export const SITE_FACTOR = 10;

export interface AttemptLimit {
  readonly attempts: number;
  /**
   * Length of the time window in which at most `attempts` attempts are allowed, in milliseconds. A window begins with
   * the first attempt after the previous window has ended.
   */
  readonly windowMs: number;
}

/**
 * Limits by kind of attempt, such as a sign-in or an email to an address that a user entered. A network is an IPv4
 * address or an IPv6 /64 network. All networks of an IPv6 /48 network together have SITE_FACTOR times the limit of one
 * network.
 */
export const ATTEMPT_LIMITS = {
  /**
   * Sign-in links for one email address. The window is shorter than the time for which a link is valid. The user
   * therefore has an email with a valid link, even if other people used up the limit.
   */
  link_for_email: { attempts: 3, windowMs: 10 * MINUTE_MS },
  link_from_network: { attempts: 30, windowMs: 10 * MINUTE_MS },
  /** Passwords for one email address. Sign-in links are not affected. */
  password_for_email: { attempts: 10, windowMs: 15 * MINUTE_MS },
  password_from_network: { attempts: 30, windowMs: 15 * MINUTE_MS },
  /** Sign-ins at organizations' identity providers, begun by browsers in one network. */
  provider_from_network: { attempts: 30, windowMs: 15 * MINUTE_MS },
  /** Sign-ins with passkeys, begun by browsers in one network. */
  passkey_from_network: { attempts: 60, windowMs: 15 * MINUTE_MS },
  /** Changes to the password or to the second factor by one user. */
  credential_change_of_user: { attempts: 20, windowMs: 60 * MINUTE_MS },
  /** Confirmation emails to the new addresses that one user enters. */
  email_change_of_user: { attempts: 5, windowMs: DAY_MS },
  /** Programs (OAuth clients) to which a user gives access. */
  grant_of_user: { attempts: 200, windowMs: DAY_MS },
  export_of_organization: { attempts: 10, windowMs: DAY_MS },
  /** Requests of an organization to look for the DNS record that proves the ownership of a domain. */
  domain_proof_of_organization: { attempts: 30, windowMs: 60 * MINUTE_MS },
  invitation_of_organization: { attempts: 100, windowMs: DAY_MS },
  /** Invitations of one organization for one email address. Other organizations are not affected. */
  invitation_for_email: { attempts: 5, windowMs: DAY_MS },
  /**
   * Second-factor codes, including recovery codes, of one user. They are counted separately for each first factor, so
   * that wrong codes after the password don't count against sign-ins by link.
   */
  code_of_user: { attempts: 5, windowMs: 15 * MINUTE_MS },
  /** Failed exchanges of service credentials. Successful ones are not counted. */
  service_credential_from_network: { attempts: 30, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, AttemptLimit>;

export type AttemptKind = keyof typeof ATTEMPT_LIMITS;
