import type { LimitName } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import type { Transaction } from './database.ts';

/** Rows of an organization that count against a limit. */
export interface LimitedRows {
  readonly limit: LimitName;
  readonly table: string;
  /** SQL condition for the rows that count; absent: all of the organization. */
  readonly where?: string;
}

/** Returns how many rows an organization has. */
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
 * Checks that one more row fits, before it is inserted in the same transaction. Transactions of one organization
 * that add rows of one kind wait for each other here, so that together they don't exceed the limit.
 * @throws ServiceError `invalid` that names the limit.
 */
export async function requireBelowLimit(
  tx: Transaction,
  organizationId: string,
  rows: LimitedRows,
  limit: number,
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${rows.limit} ${organizationId}`]);
  const used = await countRows(tx, organizationId, rows);
  if (used >= limit) {
    throw invalid({ [rows.limit]: [`are limited to ${limit} for this organization, which has ${used}`] });
  }
}
