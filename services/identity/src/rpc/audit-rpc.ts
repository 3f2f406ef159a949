import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { AuditService } from '@tocsin/proto/identity/v1/audit';
import { organizationOf } from '@tocsin/runtime';
import { listAuditLog } from '../app/list-audit-log.ts';
import type { Deps } from '../app/ports.ts';
import { toProtoAuditEntry } from '../wire/identity.ts';

export function auditRpc(deps: Deps): ServiceImpl<typeof AuditService> {
  return {
    async listAuditEntries({ limit, cursor, action, actor, since, until }, context) {
      const page = { limit: limit || undefined, cursor: cursor || undefined };
      const filter = {
        action: action || undefined,
        actor: actor || undefined,
        since: since && timestampDate(since),
        until: until && timestampDate(until),
      };
      const { entries, nextCursor } = await listAuditLog(deps, organizationOf(context), { ...page, ...filter });
      return { entries: entries.map(toProtoAuditEntry), nextCursor: nextCursor ?? '' };
    },
  };
}
