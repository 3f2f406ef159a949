import type { Transport } from '@connectrpc/connect';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, forOrganization, type Logger } from '@tocsin/runtime';
import type { Maintenance } from '../app/ports.ts';

/** Time limit for a request. It is short, because a reminder waits for the response. */
const TIMEOUT_MS = 2_000;

/** Reads from the monitor service whether monitors are under maintenance. */
export function monitorMaintenance(transport: Transport, logger: Logger): Maintenance {
  const monitors = createRpcClient(MonitorService, transport);
  return {
    async covers(organizationId, monitorId) {
      try {
        const options = forOrganization(organizationId, { timeoutMs: TIMEOUT_MS });
        return (await monitors.listUnderMaintenance({ ids: [monitorId] }, options)).ids.length > 0;
      } catch (error) {
        logger.warn(
          { monitor_id: monitorId, err: error },
          'a reminder does not consider the maintenance of its monitor',
        );
        return false;
      }
    },
  };
}
