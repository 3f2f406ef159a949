/** An API key with its permissions and its organization. */
export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Undefined if it does not expire. */
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  readonly lastUsedAt: Date | undefined;
  readonly actorEmail: string;
  readonly organization: Organization;
  /** Limits that were set for the organization, by name. */
  readonly ownLimits: Readonly<Record<string, number>>;
}

export interface Organization {
  readonly id: string;
  /** The public account number. */
  readonly accountNumber: number;
  readonly name: string;
}

const USE_RESOLUTION_MS = 60_000;

export function isUsable({ expiresAt, revokedAt }: Credential, now: Date): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

/** Whether a use should be recorded now: at most once per minute. */
export function isUseWorthNoting({ lastUsedAt }: Credential, now: Date): boolean {
  return lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() >= USE_RESOLUTION_MS;
}
