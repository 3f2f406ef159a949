import type { LimitName } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import type { Transaction } from './transaction.ts';

/** Kind of rows with a limit per organization. */
export interface LimitedRows {
  readonly limit: LimitName;
  readonly table: string;
  /** SQL condition for the counted rows. Defaults to all rows of the organization. */
  readonly where?: string;
  /** Column with the number of things that a row stands for. By default, each row counts as one. */
  readonly sumOf?: string;
  /** Maximum number of rows that concurrent transactions are assumed to add. Defaults to 200. */
  readonly maxConcurrent?: number;
}

/** Returns the number of an organization's counted rows, or the sum over them. */
export async function countRows(
  tx: Transaction,
  organizationId: string,
  { table, where = 'true', sumOf }: LimitedRows,
): Promise<number> {
  const count = sumOf ? `coalesce(sum(${sumOf}), 0)` : 'count(*)';
  const [row] = await tx.query<{ used: number }>(
    `select ${count} as used from ${table} where organization_id = $1 and (${where})`,
    [organizationId],
  );
  return row?.used ?? 0;
}

/**
 * Default of `LimitedRows.maxConcurrent`. A transaction's count does not include the uncommitted rows of concurrent
 * transactions.
 */
const MAX_CONCURRENT = 200;

/**
 * Checks that the limit allows the rows that the transaction inserted; `added` is their number. If the number of rows
 * is close to the limit, locks the organization's rows of this kind until the commit, so that concurrent transactions
 * cannot together exceed the limit. Call it at the end of a transaction, because other transactions wait for this lock.
 * @throws ServiceError `invalid` that names the limit.
 */
export async function requireWithinLimit(
  tx: Transaction,
  organizationId: string,
  rows: LimitedRows,
  limit: number,
  added = 1,
): Promise<void> {
  if ((await countRows(tx, organizationId, rows)) + (rows.maxConcurrent ?? MAX_CONCURRENT) <= limit) return;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${rows.limit} ${organizationId}`]);
  const used = await countRows(tx, organizationId, rows);
  if (used > limit) {
    const more = added > 1 ? `; this request adds ${added}` : '';
    throw invalid({
      [rows.limit]: [`are limited to ${limit} for this organization, which has ${used - added}${more}`],
    });
  }
}
