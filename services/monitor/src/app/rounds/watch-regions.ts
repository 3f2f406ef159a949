import type { Regions } from '../ports.ts';

/**
 * Callbacks for regions: `onLook` is called after each lookup of a region, and `onChange` when the result differs from
 * the previous lookup.
 */
export interface RegionWatcher {
  onLook(region: string, served: boolean): void;
  onChange(region: string, served: boolean): void;
}

/**
 * Checks which regions have a checker that accepts jobs. `lost` is the set of regions without such a checker. This
 * function updates the set. Pass the same set to each call.
 */
export async function watchRegions(
  regions: readonly string[],
  checkers: Regions,
  lost: Set<string>,
  { onLook, onChange }: RegionWatcher,
): Promise<void> {
  for (const region of regions) {
    const served = await checkers.isServed(region);
    onLook(region, served);
    if (served === !lost.has(region)) continue;
    if (served) lost.delete(region);
    else lost.add(region);
    onChange(region, served);
  }
}
