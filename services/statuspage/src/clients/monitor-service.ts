import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Transport } from '@connectrpc/connect';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { Monitors } from '../app/ports.ts';
import type { LastRound } from '../domain/last-checks.ts';

/** Maximum number of monitors whose last rounds are read with one request. */
const MAX_IDS = 500;

/**
 * Timeout for a request for last rounds, in milliseconds. It is short, because the gateway waits only a second for a
 * page.
 */
const LAST_ROUNDS_TIMEOUT_MS = 500;

/** Reads monitors from the monitor service. */
export function monitorServiceMonitors(transport: Transport): Monitors {
  const client = createRpcClient(MonitorService, transport);
  return {
    async existing(organizationId, ids) {
      if (ids.length === 0) return [];
      return (await client.resolveMonitors({ ids: [...ids] }, forOrganization(organizationId))).ids;
    },
    async lastRounds(organizationId, ids) {
      const found = new Map<string, LastRound>();
      const options = forOrganization(organizationId, { timeoutMs: LAST_ROUNDS_TIMEOUT_MS });
      for (let from = 0; from < ids.length; from += MAX_IDS) {
        const monitorIds = ids.slice(from, from + MAX_IDS);
        const { lastRounds, runningSince } = await client.listLastRounds({ monitorIds }, options);
        for (const { monitorId, at, expectedSince, intervalSeconds } of lastRounds) {
          if (!expectedSince) throw new Error('a last round has no expected_since');
          found.set(monitorId, {
            at: at && timestampDate(at),
            expectedSince: timestampDate(expectedSince),
            intervalSeconds,
            runningSince: runningSince && timestampDate(runningSince),
          });
        }
      }
      return found;
    },
  };
}
