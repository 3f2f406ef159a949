import type { Regions } from '../ports.ts';

/** Called with which regions are served, and with each change. */
export interface RegionWatcher {
  onLook(region: string, served: boolean): void;
  onChange(region: string, served: boolean): void;
}

/** Looks which regions have a checker that takes jobs. To be called again and again with the same `lost`. */
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
