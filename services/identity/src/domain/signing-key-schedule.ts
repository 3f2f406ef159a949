/** How old the newest key becomes before it is replaced. */
export const ROTATE_AFTER_MS = 30 * 24 * 3_600_000;

/**
 * How long a new key is published before it signs. Verifiers fetch the keys again when a token names an unknown one,
 * but at most every 5 seconds; whatever they fetched in the meantime has the new key already.
 */
export const PUBLISHED_AHEAD_MS = 60_000;

/** How long a key is published after it signed for the last time: twice as long as any token lives. */
export const KEPT_AFTER_MS = 10 * 60_000;

interface Created {
  readonly createdAt: Date;
}

/** Returns the key that signs: the newest that has been published for long enough, or else the oldest. */
export function findSigner<Key extends Created>(newestFirst: readonly Key[], now: Date): Key | undefined {
  return newestFirst.find((key) => signsFrom(key) <= now.getTime()) ?? newestFirst.at(-1);
}

export function isRotationDue(newestFirst: readonly Created[], now: Date): boolean {
  const [newest] = newestFirst;
  return newest === undefined || newest.createdAt.getTime() + ROTATE_AFTER_MS <= now.getTime();
}

/** Returns the keys whose last token has ended. */
export function findRetired<Key extends Created>(newestFirst: readonly Key[], now: Date): Key[] {
  const settled = newestFirst.findIndex((key) => signsFrom(key) + KEPT_AFTER_MS <= now.getTime());
  return settled < 0 ? [] : newestFirst.slice(settled + 1);
}

function signsFrom({ createdAt }: Created): number {
  return createdAt.getTime() + PUBLISHED_AHEAD_MS;
}
