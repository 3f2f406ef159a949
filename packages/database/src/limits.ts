import type { LimitName } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import type { Transaction } from './database.ts';

/** Rows of an organization that count against a limit. */
export interface LimitedRows {
  readonly limit: LimitName;
  readonly table: string;
  /** SQL condition for the rows that count. Defaults to all rows of the organization. */
  readonly where?: string;
}

/** Returns the number of rows that count for an organization. */
export async function countRows(
  tx: Transaction,
  organizationId: string,
  { table, where = 'true' }: LimitedRows,
): Promise<number> {
  const [row] = await tx.query<{ used: number }>(
    `select count(*) as used from ${table} where organization_id = $1 and (${where})`,
    [organizationId],
  );
  return row?.used ?? 0;
}

/**
 * More transactions than ever add rows of one organization at once: their uncommitted rows are not in the count, so the
 * limit may be closer by as many.
 */
const MAX_CONCURRENT = 200;

/**
 * Checks that the limit allows the row that the transaction inserted. Close to the limit, concurrent transactions that
 * add rows of the same kind for the organization wait for each other from here to their commit, so that they don't
 * exceed the limit together; call it last to keep this short.
 * @throws ServiceError `invalid` that names the limit.
 */
export async function requireWithinLimit(
  tx: Transaction,
  organizationId: string,
  rows: LimitedRows,
  limit: number,
): Promise<void> {
  if ((await countRows(tx, organizationId, rows)) + MAX_CONCURRENT <= limit) return;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${rows.limit} ${organizationId}`]);
  const used = await countRows(tx, organizationId, rows);
  if (used > limit) {
    throw invalid({ [rows.limit]: [`are limited to ${limit} for this organization, which has ${used - 1}`] });
  }
}
