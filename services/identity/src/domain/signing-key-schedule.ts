/** Age at which the newest key is replaced, in milliseconds. */
export const ROTATE_AFTER_MS = 30 * 24 * 3_600_000;

/**
 * Milliseconds for which a new key is published before it signs. A verifier fetches the keys when a token was signed
 * with an unknown key, but at most every 5 seconds. The delay ensures that the fetched keys include the new key.
 */
export const PUBLISHED_AHEAD_MS = 60_000;

/** Milliseconds for which a key is published after it last signed. This is twice the longest lifetime of a token. */
export const KEPT_AFTER_MS = 10 * 60_000;

interface Created {
  readonly createdAt: Date;
}

/**
 * Returns the key for signing: the newest key that has been published for at least PUBLISHED_AHEAD_MS, or the oldest
 * key if there is no such key.
 */
export function findSigner<Key extends Created>(newestFirst: readonly Key[], now: Date): Key | undefined {
  return newestFirst.find((key) => signsFrom(key) <= now.getTime()) ?? newestFirst.at(-1);
}

export function isRotationDue(newestFirst: readonly Created[], now: Date): boolean {
  const [newest] = newestFirst;
  return newest === undefined || newest.createdAt.getTime() + ROTATE_AFTER_MS <= now.getTime();
}

/** Returns the keys whose tokens have all expired. */
export function findRetired<Key extends Created>(newestFirst: readonly Key[], now: Date): Key[] {
  const settled = newestFirst.findIndex((key) => signsFrom(key) + KEPT_AFTER_MS <= now.getTime());
  return settled < 0 ? [] : newestFirst.slice(settled + 1);
}

function signsFrom({ createdAt }: Created): number {
  return createdAt.getTime() + PUBLISHED_AHEAD_MS;
}
