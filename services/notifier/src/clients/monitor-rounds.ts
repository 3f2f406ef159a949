import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Transport } from '@connectrpc/connect';
import { checkOutcomes } from '@tocsin/enums';
import { HistoryService } from '@tocsin/proto/monitor/v1/history';
import { createRpcClient, forOrganization, type Logger } from '@tocsin/runtime';
import type { Rounds } from '../app/ports.ts';

/** Time limit for a request. It is short, because a page waits for the response. */
const TIMEOUT_MS = 2_000;
const SHOWN_ROUNDS = 5;

/** Reads rounds of monitors from the monitor service. */
export function monitorRounds(transport: Transport, logger: Logger): Rounds {
  const history = createRpcClient(HistoryService, transport);
  return {
    async latest(organizationId, monitorId, until) {
      try {
        const options = forOrganization(organizationId, { timeoutMs: TIMEOUT_MS });
        // The end of the range is exclusive, but the round at the end of an outage must be included.
        const before = until && timestampFromDate(new Date(until.getTime() + 1));
        const { runs } = await history.listRuns({ monitorId, limit: SHOWN_ROUNDS, ...(before && { before }) }, options);
        return runs.map(({ roundAt, results }) => ({
          at: roundAt ? timestampDate(roundAt) : new Date(0),
          results: results.map(({ region, outcome, error }) => ({
            region,
            error,
            outcome: checkOutcomes.findName(outcome) ?? 'unknown',
          })),
        }));
      } catch (error) {
        logger.warn({ monitor_id: monitorId, err: error }, 'an outage page is shown without the rounds of its monitor');
        return undefined;
      }
    },
  };
}
