import type { CheckResult } from '../../domain/rounds/check-result.ts';
import { insertResults, isStorable } from '../../storage/rounds/result-store.ts';
import { insertScriptRuns } from '../../storage/rounds/script-run-store.ts';
import { recordCertificates } from '../certificates/record-certificates.ts';
import type { Deps } from '../ports.ts';
import { settleRounds } from './settle-rounds.ts';

/** Saves results and decides the rounds that they complete, in one transaction. Duplicate results have no effect. */
export async function recordResults(
  deps: Pick<Deps, 'database' | 'now'>,
  results: readonly CheckResult[],
): Promise<void> {
  const now = deps.now();
  const storable = results.filter((result) => isStorable(result, now));
  if (storable.length === 0) return;
  // Rows are locked in the order of monitor ids, so that replicas with results for the same monitors don't deadlock.
  storable.sort((a, b) => (a.monitorId < b.monitorId ? -1 : 1));
  await deps.database.transaction('every organization', async (tx) => {
    insertResults(tx, storable);
    insertScriptRuns(tx, storable);
    const failed = storable.filter(({ outcome }) => outcome === 'fail');
    await settleRounds(tx, idsOf(storable), now, { mayChange: idsOf(failed) });
    await recordCertificates(tx, storable, now);
  });
}

function idsOf(results: readonly CheckResult[]): string[] {
  return [...new Set(results.map(({ monitorId }) => monitorId))];
}
