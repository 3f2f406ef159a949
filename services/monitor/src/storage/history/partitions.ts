import type { Transaction } from '@tocsin/database';
import { floorToDay } from '../../domain/history/history-range.ts';
import { SCREENSHOT_DAYS } from '../../domain/rounds/script-run.ts';

const DAY_MS = 86_400_000;

/** Retention of the check history, in days. */
export const RETENTION_DAYS = 90;

/** Tables that are partitioned by day. */
const PARTITIONED = ['check_result', 'result_hour'] as const;

/** Unpartitioned tables from which old rows are deleted, each with the column that contains the time of a row. */
const SWEPT = {
  result_day: 'day',
  transition: 'entered_at',
  silence: 'last_at',
  maintenance: 'to_at',
  script_run: 'round_at',
} as const;

/**
 * Creates the missing partitions from yesterday to three days ahead, and deletes history past the retention. Repeated
 * calls have no further effect.
 */
export async function dropOldPartitions(tx: Transaction, now: Date): Promise<void> {
  const day = floorToDay(now).getTime();
  await ensurePartitions(tx, new Date(day - DAY_MS), new Date(day + 3 * DAY_MS));
  const oldest = day - RETENTION_DAYS * DAY_MS;
  for (const table of PARTITIONED) {
    for (const name of await partitionsOf(tx, table)) {
      if (name < partitionName(table, oldest))
        await tx.query('select drop_day_partition($1, $2)', [table, dayOf(name)]);
    }
  }
  for (const [table, column] of Object.entries(SWEPT)) {
    await tx.query(`delete from ${table} where ${column} < $1`, [new Date(oldest)]);
  }
  await tx.query('delete from screenshot where round_at < $1', [new Date(day - SCREENSHOT_DAYS * DAY_MS)]);
}

/** Creates the missing partitions for each day from `first` to `last`. */
export async function ensurePartitions(tx: Transaction, first: Date, last: Date): Promise<void> {
  // Only one replica does this at a time, because creating a partition locks the table.
  await tx.query("select pg_advisory_xact_lock(hashtext(current_schema() || '.partitions'))");
  for (const table of PARTITIONED) {
    const existing = new Set(await partitionsOf(tx, table));
    for (let day = floorToDay(first).getTime(); day <= last.getTime(); day += DAY_MS) {
      const name = partitionName(table, day);
      if (existing.has(name)) continue;
      await tx.query('select create_day_partition($1, $2)', [table, dayOf(name)]);
    }
  }
}

async function partitionsOf(tx: Transaction, table: string): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = '${table}'::regclass`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Returns the name of a day's partition, such as `check_result_20261120`. The names of a table's partitions sort
 * chronologically.
 */
function partitionName(table: string, day: number): string {
  return `${table}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** Returns the day of a partition, such as `20261120`. */
function dayOf(partition: string): string {
  return partition.slice(-'YYYYMMDD'.length);
}
