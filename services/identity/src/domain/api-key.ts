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
}
