/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Time of expiry; undefined if the key does not expire. */
  readonly expiresAt: Date | undefined;
  /** Time of the last use, accurate to a minute; undefined if the key was never used. */
  readonly lastUsedAt: Date | undefined;
  readonly createdAt: Date;
  /** Creator: an email address, or `service:admin` for the operator of the installation; undefined if unknown. */
  readonly createdBy: string | undefined;
  /** Id of the key that created this key; undefined if no other key created it. */
  readonly createdByKeyId: string | undefined;
}
