import { invalid } from '@tocsin/errors';
import type { CheckResult } from '../../domain/rounds/check-result.ts';
import type { Deps } from '../ports.ts';
import { getMonitor } from './get-monitor.ts';

/**
 * Milliseconds that an on-demand check may take in addition to the monitor's timeout. Synthetic checks get more time,
 * because they start a browser.
 */
const MARGIN_MS = 3_000;
const BROWSER_MARGIN_MS = 10_000;

/**
 * Runs an on-demand check in every region and returns the results that arrive in time. An on-demand check is not a
 * round: it does not change the state and is not part of the history, so that repeated checks can't confirm a state.
 * @throws ServiceError `not_found`, or `invalid` for a heartbeat monitor.
 */
export async function checkMonitor(deps: Deps, organizationId: string, id: string): Promise<CheckResult[]> {
  const { monitor } = await getMonitor(deps, organizationId, id);
  if (monitor.checkType === 'heartbeat') {
    throw invalid({ check_type: ["heartbeat monitors can't be checked from here: they wait to be pinged"] });
  }
  const now = deps.now();
  const marginMs = monitor.checkType === 'synthetic' ? BROWSER_MARGIN_MS : MARGIN_MS;
  const deadline = new Date(now.getTime() + monitor.timeoutMs + marginMs);
  const job = {
    monitorId: monitor.id,
    organizationId,
    checkType: monitor.checkType,
    configVersion: monitor.version,
    roundAt: now,
    startBefore: deadline,
  };
  const results = await deps.checkers.ask(job, deps.regions, deadline);
  return results.sort((a, b) => a.region.localeCompare(b.region));
}
