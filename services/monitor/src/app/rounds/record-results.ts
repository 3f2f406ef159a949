import type { CheckResult } from '../../domain/rounds/check-result.ts';
import { insertResults, isStorable } from '../../storage/rounds/result-store.ts';
import { insertScriptRuns } from '../../storage/rounds/script-run-store.ts';
import { recordCertificates } from '../certificates/record-certificates.ts';
import type { Deps } from '../ports.ts';
import { settleRounds } from './settle-rounds.ts';

/**
 * Writes results down and decides the rounds that they complete, all in one transaction. A result that came before
 * changes nothing.
 */
export async function recordResults(deps: Deps, results: readonly CheckResult[]): Promise<void> {
  const now = deps.now();
  const storable = results.filter((result) => isStorable(result, now));
  if (storable.length === 0) return;
  // In one order everywhere, so that two replicas with results of the same monitors don't lock each other out.
  storable.sort((a, b) => (a.monitorId < b.monitorId ? -1 : 1));
  await deps.database.transaction('every organization', async (tx) => {
    await insertResults(tx, storable);
    await insertScriptRuns(tx, storable);
    await settleRounds(tx, [...new Set(storable.map((result) => result.monitorId))], now);
    await recordCertificates(tx, storable, now);
  });
}
