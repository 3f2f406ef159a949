import { invalid } from '@tocsin/errors';
import type { CheckResult } from '../domain/check-result.ts';
import { getMonitor } from './get-monitor.ts';
import type { Deps } from './ports.ts';

/** What a check on demand may take beside the monitor's own timeout. */
const MARGIN_MS = 3_000;

/**
 * Runs one check now in every region and answers what came back in time. It is a look, not a round: it moves no state and
 * is not part of the history, so that looking often can't confirm anything.
 */
export async function checkMonitor(deps: Deps, organizationId: string, id: string): Promise<CheckResult[]> {
  const { monitor } = await getMonitor(deps, organizationId, id);
  if (monitor.checkType === 'heartbeat') {
    throw invalid({ check_type: ["heartbeat monitors can't be checked from here: they wait to be pinged"] });
  }
  const now = deps.now();
  const deadline = new Date(now.getTime() + monitor.timeoutMs + MARGIN_MS);
  const job = {
    monitorId: monitor.id,
    organizationId,
    configVersion: monitor.version,
    roundAt: now,
    startBefore: deadline,
  };
  const results = await deps.checkers.ask(job, deps.regions, deadline);
  return results.sort((a, b) => a.region.localeCompare(b.region));
}
