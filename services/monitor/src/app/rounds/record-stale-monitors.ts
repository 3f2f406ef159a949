import { LONG_STATEMENTS, type Transaction } from '@tocsin/database';
import { checkStaleness } from '../../domain/rounds/staleness.ts';
import { lockToDecide } from '../../storage/monitors/monitor-store.ts';
import { findEvaluatorStates, saveEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';
import {
  findDueStalenessChecks,
  findWatchedFrom,
  recordOnline,
  saveStalenessChecks,
} from '../../storage/rounds/staleness-store.ts';
import type { Deps } from '../ports.ts';
import { publishStateChanges } from './publish-state-changes.ts';

/** Maximum number of monitors in one transaction. */
const LOOK_LIMIT = 500;

/**
 * Marks monitors as stale if their last decided round (a round whose vote was pass or fail) is too long ago. All
 * results up to `now` must have been recorded. Each call also records that the service is running, because an outage of
 * the service does not count as missing data. Call this function repeatedly, but only while the service can decide
 * rounds.
 */
export async function recordStaleMonitors(deps: Deps, now: Date): Promise<'again' | 'done'> {
  const { database } = deps;
  const look = async (tx: Transaction) => {
    const presences = await recordOnline(tx, now, deps.readClock);
    return { presences, due: await findDueStalenessChecks(tx, now, LOOK_LIMIT) };
  };
  const { presences, due } = await database.transaction('every organization', look, LONG_STATEMENTS);
  if (due.length === 0) return 'done';
  await database.transaction('every organization', async (tx) => {
    const monitors = await lockToDecide(tx, due);
    const watchedFrom = await findWatchedFrom(tx, due, now);
    const evaluatorStates = await findEvaluatorStates(tx, due);
    const checks = monitors.flatMap(({ id, organizationId, intervalSeconds }) => {
      const from = watchedFrom.get(id);
      // Since the query, another replica may have checked the monitor, or an update may have changed it.
      if (!from) return [];
      const watched = { intervalSeconds, watchedFrom: from, evaluatorState: evaluatorStates.get(id) };
      return [{ monitorId: id, organizationId, ...checkStaleness(watched, presences, now) }];
    });
    await saveStalenessChecks(tx, checks);
    const changes = checks.flatMap(({ monitorId, organizationId, change, evaluatorState }) =>
      evaluatorState ? [{ monitorId, organizationId, evaluatorState, changes: change ? [change] : [] }] : [],
    );
    saveEvaluatorStates(tx, changes);
    await publishStateChanges(tx, changes, now);
  });
  return due.length === LOOK_LIMIT ? 'again' : 'done';
}
