import { type PageView, type ViewInputs, viewPages } from '../domain/page-view.ts';
import { readViewInputs } from '../storage/page-view-store.ts';
import { withLastChecks } from './last-rounds.ts';
import type { Deps } from './ports.ts';

/** Returns the statuses that visitors see for pages and their components, by page id. Unknown ids are left out. */
export async function readPageViews(
  deps: Deps,
  organizationId: string,
  pageIds: readonly string[],
): Promise<ReadonlyMap<string, PageView>> {
  const inputs = await deps.database.transaction({ organizationId }, (tx) =>
    readViewInputs(tx, organizationId, pageIds),
  );
  return determineViews(deps, organizationId, pageIds, inputs);
}

/**
 * Returns the statuses that visitors see for pages, by page id. `inputs` were read in a transaction that has ended,
 * because the monitor service may be called.
 */
export async function determineViews(
  deps: Pick<Deps, 'lastRounds' | 'now'>,
  organizationId: string,
  pageIds: readonly string[],
  inputs: ViewInputs,
): Promise<ReadonlyMap<string, PageView>> {
  // The last rounds of the monitors are cached by page id. If several pages are requested, their last rounds are cached
  // together under the organization's id.
  const pageId = pageIds.length === 1 ? (pageIds[0] ?? organizationId) : organizationId;
  const { monitors } = await withLastChecks(deps, { organizationId, pageId }, inputs.monitors);
  return viewPages(pageIds, { ...inputs, monitors });
}
