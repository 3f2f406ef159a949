import type { ShownDisruption } from './disruption.ts';

/** Minimum number of disruptions that are joined into one entry. */
const MIN_TIMES = 3;

/**
 * An entry in the list of ended disruptions: a single disruption, or several repeated disruptions that are joined.
 */
export type PastEntry =
  | { readonly kind: 'one'; readonly disruption: ShownDisruption }
  | { readonly kind: 'flapping'; readonly disruptions: readonly ShownDisruption[] };

/**
 * Joins three or more automatic disruptions of the same components that ended on the same day in UTC, so that a
 * flapping monitor has one entry per day. Such a disruption is not joined if a person wrote an entry in its timeline.
 * Disruptions that a person recorded after they had ended are joined in the same way, but only if their titles are
 * equal as well. The order of `ended` is preserved, and each joined entry takes the position of the first disruption in
 * it.
 */
export function joinFlapping(ended: readonly ShownDisruption[], pageId: string): PastEntry[] {
  const byKey = Map.groupBy(ended, (disruption) => keyOf(disruption, pageId));
  return ended.flatMap((disruption): PastEntry[] => {
    const key = keyOf(disruption, pageId);
    const alike = (key !== undefined && byKey.get(key)) || [];
    if (alike.length < MIN_TIMES) return [{ kind: 'one', disruption }];
    return alike[0] === disruption ? [{ kind: 'flapping', disruptions: alike }] : [];
  });
}

/** Returns the key by which disruptions are joined; undefined if the disruption can't be joined. */
function keyOf(disruption: ShownDisruption, pageId: string): string | undefined {
  const { title, automaticTitle, createdAt, resolvedAt, updates, hasOlderUpdates, omittedComponents } = disruption;
  const isAutomatic = automaticTitle && !hasOlderUpdates && updates.every(({ automatic }) => automatic);
  const components = disruption.components.filter(({ statusPageId }) => statusPageId === pageId);
  if (!resolvedAt || omittedComponents > 0 || components.length === 0) return undefined;
  const isEntered = createdAt >= resolvedAt;
  if (!isAutomatic && !isEntered) return undefined;
  const ids = components.map(({ id }) => id).sort();
  return JSON.stringify([resolvedAt.toISOString().slice(0, 10), isAutomatic ? null : title, ids]);
}
