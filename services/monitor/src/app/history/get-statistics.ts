import type { Transaction } from '@tocsin/database';
import { invalid, notFound } from '@tocsin/errors';
import { type Piece, piecesOf, RANGE_HOURS, spanOf } from '../../domain/history/history-range.ts';
import { type ResponseTimes, responseTimesOf, type Uptime, uptimeOf } from '../../domain/history/statistics.ts';
import { findProgress } from '../../storage/history/roll-up-store.ts';
import { countOutcomes, sketchTimes } from '../../storage/history/statistics-store.ts';
import { existingMonitorIds } from '../../storage/monitors/monitor-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

/** A request for the statistics of a monitor in the last `rangeHours` hours. */
export interface StatisticsQuestion {
  readonly monitorId: string;
  readonly rangeHours: number;
}

/**
 * Returns the uptime of a monitor and the number of checks for each outcome.
 * @throws ServiceError `not_found`, or `invalid` for a range that is not in RANGE_HOURS.
 */
export async function getUptime(deps: Deps, organizationId: string, question: StatisticsQuestion): Promise<Uptime> {
  return overRange(deps, organizationId, question, async (tx, pieces) =>
    uptimeOf(await countOutcomes(tx, question.monitorId, pieces)),
  );
}

/**
 * Returns the response times of a monitor's passed checks.
 * @throws ServiceError `not_found`, or `invalid` for a range that is not in RANGE_HOURS.
 */
export async function getResponseTimes(
  deps: Deps,
  organizationId: string,
  question: StatisticsQuestion,
): Promise<ResponseTimes> {
  return overRange(deps, organizationId, question, async (tx, pieces) =>
    responseTimesOf(await sketchTimes(tx, question.monitorId, pieces)),
  );
}

async function overRange<Result>(
  deps: Deps,
  organizationId: string,
  { monitorId, rangeHours }: StatisticsQuestion,
  response: (tx: Transaction, pieces: readonly Piece[]) => Promise<Result>,
): Promise<Result> {
  const hours = RANGE_HOURS.find((known) => known === rangeHours);
  if (!hours) throw invalid({ range: [`must be one of ${RANGE_HOURS.join(', ')} hours`] });
  requireId(monitorId);
  const span = spanOf(hours, deps.now());
  return deps.database.transaction({ organizationId }, async (tx) => {
    const [known] = await existingMonitorIds(tx, organizationId, [monitorId]);
    if (!known) throw notFound('monitor');
    // Complete hours before `rolledTo` are read as hourly counts, and the rest of the range as single results. Read
    // `rolledTo` only once. Otherwise, an hour that is rolled up between two reads could be included twice.
    const { rolledTo } = await findProgress(tx);
    return response(tx, piecesOf(span, rolledTo));
  });
}
