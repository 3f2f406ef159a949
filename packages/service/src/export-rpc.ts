import type { ServiceImpl } from '@connectrpc/connect';
import type { Database } from '@tocsin/database';
import { listOrganizationRows } from '@tocsin/outbox';
import type { ExportService } from '@tocsin/proto/export/v1/export';
import { organizationOf } from '@tocsin/runtime';

/** Returns the RPC handlers that list everything that a service stores for an organization. */
export function exportRpc(
  database: Database,
  exported: Parameters<typeof listOrganizationRows>[1]['exported'],
): ServiceImpl<typeof ExportService> {
  return {
    async listRows({ cursor }, context) {
      const organizationId = organizationOf(context);
      const page = { organizationId, cursor: cursor || undefined, exported };
      const { rows, next } = await listOrganizationRows(database, page);
      return { rowsJson: [...rows], nextCursor: next ?? '' };
    },
  };
}
