import { MAX_LINKS, type PlacedComponent } from './tree.ts';

/** Returns the number of links to monitors that components have together. */
export function countLinks(components: readonly Pick<PlacedComponent, 'monitors'>[]): number {
  return components.reduce((sum, { monitors }) => sum + monitors.length, 0);
}

/**
 * Returns an error if a change adds links to monitors beyond the limit of a page; undefined otherwise. `before` and
 * `after` are the numbers of the page's links. A page may exceed the limit, because the limit was introduced after some
 * pages were created. Changes to such a page that add no links are still allowed.
 */
export function problemOfLinks(before: number, after: number): string | undefined {
  if (after <= MAX_LINKS || after <= before) return undefined;
  return `a page has at most ${MAX_LINKS} links to monitors, and this page would have ${after}`;
}
