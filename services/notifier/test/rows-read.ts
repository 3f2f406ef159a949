import type { Transaction } from '@tocsin/database';

/** Returns how many rows of a table this transaction has read. A few may be those of an earlier transaction. */
export async function rowsRead(tx: Transaction, table: string): Promise<number> {
  const [read] = await tx.query<{ rows: number }>(
    'select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relid = $1::regclass',
    [table],
  );
  return read?.rows ?? Number.NaN;
}
