/** A key as its organization sees it: without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Undefined: it never ends. */
  readonly expiresAt: Date | undefined;
  /** To the minute; undefined: never. */
  readonly lastUsedAt: Date | undefined;
  readonly createdAt: Date;
  /** Who created it: a mail address, or the operator of the installation. Undefined: it is not known. */
  readonly createdBy: string | undefined;
  /** The key that created it; undefined for one that the operator created. */
  readonly createdByKeyId: string | undefined;
}
