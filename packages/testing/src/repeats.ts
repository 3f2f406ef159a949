/** A call that creates something, with the same idempotency id each time. */
export interface RepeatedCreation {
  /** Creates, or returns what the first call created. Returns its ids. */
  readonly create: () => Promise<readonly string[]>;
  /** Returns the ids of everything that the organization has. */
  readonly list: () => Promise<readonly string[]>;
  /** Deletes what the call created. */
  readonly remove: (ids: readonly string[]) => Promise<unknown>;
}

/** What a repeated creation did: see observeRepeats(). */
export interface ObservedRepeats {
  /** Number of different results of five calls at once, and of one call after that. */
  readonly results: number;
  /** Whether the organization then has exactly what was created. */
  readonly isComplete: boolean;
  /** Number of things that the organization has after they were deleted and the call was repeated. */
  readonly afterDeletion: number;
  /** Kind of the error of the call after the deletion. */
  readonly refusal: unknown;
}

/** What a creation does that is never executed twice. */
export const EXECUTED_ONCE: ObservedRepeats = { results: 1, isComplete: true, afterDeletion: 0, refusal: 'conflict' };

/** Repeats a creation at once, later, and after what it created was deleted. */
export async function observeRepeats({ create, list, remove }: RepeatedCreation): Promise<ObservedRepeats> {
  const all = [...(await Promise.all(Array.from({ length: 5 }, create))), await create()].map((ids) => ids.join());
  const created = all[0]?.split(',') ?? [];
  const existing = await list();
  await remove(created);
  const refused: unknown = await create().catch((error: unknown) => error);
  return {
    results: new Set(all).size,
    isComplete: existing.toSorted().join() === created.toSorted().join(),
    afterDeletion: (await list()).length,
    refusal: refused instanceof Error && 'kind' in refused ? refused.kind : undefined,
  };
}
