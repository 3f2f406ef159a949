import type { Transport } from '@connectrpc/connect';
import { ExportService } from '@tocsin/proto/export/v1/export';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { ExportingService, Exports } from '../app/ports.ts';

/** Returns a client that reads what other services store for an organization. */
export function serviceExports(transports: Readonly<Record<ExportingService, Transport>>): Exports {
  return {
    async listRows(service, organizationId, cursor) {
      const client = createRpcClient(ExportService, transports[service]);
      const { rowsJson, nextCursor } = await client.listRows({ cursor: cursor ?? '' }, forOrganization(organizationId));
      return { rows: rowsJson, next: nextCursor || undefined };
    },
  };
}
