/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Undefined if it does not expire. */
  readonly expiresAt: Date | undefined;
  /** Last use, to the minute; undefined if it was never used. */
  readonly lastUsedAt: Date | undefined;
  readonly createdAt: Date;
  /** Mail address of its creator, or the operator of the installation; undefined if unknown. */
  readonly createdBy: string | undefined;
  /** Id of the key with which it was created; undefined if the operator created it. */
  readonly createdByKeyId: string | undefined;
}
