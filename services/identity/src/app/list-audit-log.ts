import { invalid } from '@tocsin/errors';
import { readCursor, writeCursor } from '@tocsin/text';
import type { AuditFilter, AuditLogEntry } from '../domain/audit-entry.ts';
import { listAudit } from '../storage/audit-store.ts';
import type { Deps } from './ports.ts';

/** Maximum and default number of entries on a page. */
const MAX_PAGE = 1_000;

/**
 * Returns a page of an organization's audit log, newest first, and the cursor for the next page.
 * @throws ServiceError `invalid` for a cursor that was not returned with a page.
 */
export async function listAuditLog(
  { database }: Pick<Deps, 'database'>,
  organizationId: string,
  { limit = MAX_PAGE, cursor, ...filter }: AuditFilter & { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ entries: AuditLogEntry[]; nextCursor: string | undefined }> {
  const before = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && before === undefined) throw invalid({ cursor: ['is not from the link to a next page'] });
  const size = Math.min(limit, MAX_PAGE);
  // Read one row more than requested to find out whether there is a next page.
  const page = { ...filter, before, limit: size + 1 };
  const found = await database.transaction({ organizationId }, (tx) => listAudit(tx, organizationId, page));
  const entries = found.slice(0, size);
  return { entries, nextCursor: entries.length < found.length ? writeCursor(entries.at(-1)?.id) : undefined };
}
