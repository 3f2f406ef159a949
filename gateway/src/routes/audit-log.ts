import type { Services } from '../clients/services.ts';
import { type Route, route } from '../endpoint/route.ts';
import { AuditEntrySchema, AuditQuery, auditRequest, toAuditEntryJson } from '../schemas/audit-entry.ts';
import { dataList } from '../schemas/common.ts';

export function auditLogRoutes({ audit }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/audit-log',
      permission: 'audit_log:read',
      tag: 'Audit log',
      summary: 'List who changed members, credentials and limits, newest first',
      query: AuditQuery,
      response: dataList(AuditEntrySchema),
      async handle({ query, as, nextPage }) {
        const { entries, nextCursor } = await audit.listAuditEntries(auditRequest(query), as);
        if (nextCursor) nextPage(nextCursor);
        return { data: entries.map(toAuditEntryJson) };
      },
    }),
  ];
}
