import type { ShownDisruption } from './disruption.ts';

/** Smallest number of disruptions that are shown as one entry. */
const MIN_TIMES = 3;

/** An entry of the list of ended disruptions: one, or several of a monitor that went down again and again. */
export type PastEntry =
  | { readonly kind: 'one'; readonly disruption: ShownDisruption }
  | { readonly kind: 'flapping'; readonly disruptions: readonly ShownDisruption[] };

/**
 * Joins automatic disruptions of the same components of a page that ended on the same day in UTC, so that a flapping
 * monitor makes one entry per day. A disruption in whose timeline a person wrote stays on its own. The order stays that
 * of the input, with each joined entry at the place of its first disruption.
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

/** Returns a key that disruptions of one entry have in common; undefined if the disruption stays on its own. */
function keyOf(disruption: ShownDisruption, pageId: string): string | undefined {
  const { automaticTitle, resolvedAt, updates, hasOlderUpdates, omittedComponents } = disruption;
  const isAutomatic = automaticTitle && !hasOlderUpdates && updates.every(({ automatic }) => automatic);
  const components = disruption.components.filter(({ statusPageId }) => statusPageId === pageId);
  if (!isAutomatic || !resolvedAt || omittedComponents > 0 || components.length === 0) return undefined;
  const ids = components.map(({ id }) => id).sort();
  return `${resolvedAt.toISOString().slice(0, 10)} ${ids.join(' ')}`;
}
