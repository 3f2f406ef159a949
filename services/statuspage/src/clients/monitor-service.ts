import type { Transport } from '@connectrpc/connect';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { Monitors } from '../app/ports.ts';

/** Reads monitors from the monitor service. */
export function monitorServiceMonitors(transport: Transport): Monitors {
  const client = createRpcClient(MonitorService, transport);
  return {
    async existing(organizationId, ids) {
      if (ids.length === 0) return [];
      return (await client.resolveMonitors({ ids: [...ids] }, forOrganization(organizationId))).ids;
    },
  };
}
