/** A credential of a program that calls services directly. The secret is not included. */
export interface ServiceCredential {
  readonly id: string;
  /** Organization to which the credential is bound; undefined if it may act in every organization. */
  readonly organizationId: string | undefined;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Names of the services for which the credential is valid. */
  readonly audiences: readonly string[];
  /** Lifetime of its tokens in seconds. */
  readonly tokenSeconds: number;
  /** Time of expiry; undefined if the credential does not expire. */
  readonly expiresAt: Date | undefined;
  readonly lastUsedAt: Date | undefined;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/**
 * Returns the organization of a credential's token: the organization of the credential, or the requested organization
 * if the credential has none. Returns undefined if both organizations are given and differ, or if neither is given.
 */
export function organizationOfToken(
  { organizationId }: Pick<ServiceCredential, 'organizationId'>,
  requested: string | undefined,
): string | undefined {
  if (organizationId === undefined) return requested;
  return requested === undefined || requested === organizationId ? organizationId : undefined;
}
