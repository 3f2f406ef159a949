import { invalid } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { findLastRounds, type LastRound } from '../../storage/rounds/last-round-store.ts';
import { findRunningSince } from '../../storage/rounds/staleness-store.ts';
import type { Deps } from '../ports.ts';

/** Maximum number of monitors in one request. */
const MAX_IDS = 500;

export interface LastRounds {
  readonly lastRounds: readonly LastRound[];
  /** Time since which the service has run without interruption; undefined if it has not recorded this yet. */
  readonly runningSince: Date | undefined;
}

/**
 * Returns when the monitors with these ids were last checked. Leaves out disabled monitors and monitors of other
 * organizations.
 * @throws ServiceError `invalid` if there are too many ids.
 */
export async function listLastRounds(
  { database }: Pick<Deps, 'database'>,
  organizationId: string,
  ids: readonly string[],
): Promise<LastRounds> {
  if (ids.length > MAX_IDS) throw invalid({ monitor_ids: [`must be at most ${MAX_IDS}`] });
  return database.transaction({ organizationId }, async (tx) => ({
    lastRounds: await findLastRounds(tx, organizationId, ids.filter(isId)),
    runningSince: await findRunningSince(tx),
  }));
}
