import { impactOf } from './automatic-disruption.ts';
import type { AffectedComponent } from './component.ts';
import type { Disruption } from './disruption.ts';

/**
 * Current names of components by id; undefined for a component that was removed from its page. Components without an
 * entry were not looked up.
 */
export type CurrentNames = ReadonlyMap<string, string | undefined>;

/**
 * Returns a disruption with the current names of its components, and without those that were removed from their pages.
 * It stays published on these pages. Returns the same object if nothing changes. If the impact of an automatic
 * disruption matched its worst component, it matches the worst remaining one afterwards.
 */
export function withCurrentComponents<Given extends Disruption>(
  disruption: Given,
  current: CurrentNames,
  now: Date,
): Given {
  const { affectedComponents: before, origin, impact } = disruption;
  const affectedComponents = before.flatMap((component): AffectedComponent[] => {
    if (!current.has(component.id)) return [component];
    const name = current.get(component.id);
    if (name === undefined) return [];
    return [name === component.name ? component : { ...component, name }];
  });
  const isSame = affectedComponents.length === before.length && affectedComponents.every((one, i) => one === before[i]);
  if (isSame) return disruption;
  const isDerived = origin.kind === 'monitor' && affectedComponents.length > 0 && impact === impactOf(before);
  return {
    ...disruption,
    affectedComponents,
    impact: isDerived ? impactOf(affectedComponents) : impact,
    updatedAt: now,
  };
}
