import { type DayBar, dayBars } from '../domain/day-bars.ts';
import { componentsOf } from '../domain/tree.ts';
import { listEnteredTimes, listIntervals } from '../storage/interval-store.ts';
import type { Deps } from './ports.ts';
import type { PageWithTree } from './status-pages.ts';

/** Number of days that a page shows, including the current one. */
export const SHOWN_DAYS = 90;

const DAY_MS = 24 * 3_600_000;

/** Bars of the last days by component id. Components without any data are absent. */
export type PageHistory = ReadonlyMap<string, readonly DayBar[]>;

/** Returns the history of the page's components; undefined if the page does not show it. */
export async function getPageHistory(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  { page: { id: pageId, organizationId, showUptime }, entries }: PageWithTree,
): Promise<PageHistory | undefined> {
  if (!showUptime) return undefined;
  const at = now();
  const since = new Date(at.getTime() - SHOWN_DAYS * DAY_MS);
  const key = { organizationId, pageId };
  const { intervals, entered } = await database.transaction({ organizationId }, async (tx) => ({
    intervals: await listIntervals(tx, key, since),
    entered: await listEnteredTimes(tx, key, since),
  }));
  const components = entries.flatMap(componentsOf).filter(({ id }) => intervals.has(id) || entered.has(id));
  return new Map(
    components.map(({ id, startDate }) => {
      const options = { days: SHOWN_DAYS, now: at, startDate };
      return [id, dayBars(intervals.get(id) ?? [], entered.get(id) ?? [], options)];
    }),
  );
}
