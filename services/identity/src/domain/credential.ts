/** An API key or an OAuth grant with its permissions and its organization. */
export interface Credential {
  readonly id: string;
  readonly kind: 'api_key' | 'oauth';
  readonly name: string;
  readonly permissions: readonly string[];
  /** Time at which the API key or the OAuth access token expires; undefined if it does not expire. */
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  readonly lastUsedAt: Date | undefined;
  readonly actorEmail: string;
  readonly organization: Organization;
  /** Limits that the operator set for the organization, by name. */
  readonly ownLimits: Readonly<Record<string, number>>;
}

export interface Organization {
  readonly id: string;
  /** Public account number of the organization. */
  readonly accountNumber: number;
  readonly name: string;
  /** Time at which a stopped organization is deleted; undefined if the organization is not stopped. */
  readonly deleteAt?: Date | undefined;
}

const USE_RESOLUTION_MS = 60_000;

export function isUsable({ expiresAt, revokedAt }: Credential, now: Date): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

/** Whether a use of the credential must be recorded now. Uses are recorded at most once per minute. */
export function isUseWorthNoting({ lastUsedAt }: Pick<Credential, 'lastUsedAt'>, now: Date): boolean {
  return lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() >= USE_RESOLUTION_MS;
}
