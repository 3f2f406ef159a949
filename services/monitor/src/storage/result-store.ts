import type { Transaction } from '@tocsin/database';
import type { CheckResult } from '../domain/check-result.ts';

const DAY_MS = 86_400_000;

/** How long the history of checks is kept. */
export const RETENTION_DAYS = 90;

/** A result older than a day comes too late for everything, and one from the future is nobody's. */
export function isStorable(result: CheckResult, now: Date): boolean {
  const age = now.getTime() - result.roundAt.getTime();
  return age < DAY_MS && age > -5 * 60_000;
}

const COLUMNS =
  'monitor_id, round_at, region, outcome, error, status_code, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, checked_at';

/** Writes results in one statement. One that is there already, or whose monitor is gone, changes nothing. */
export async function insertResults(tx: Transaction, results: readonly CheckResult[]): Promise<void> {
  if (results.length === 0) return;
  const column = <Value>(pick: (result: CheckResult) => Value) => results.map(pick);
  await tx.query(
    `insert into check_result (${COLUMNS})
     select r.* from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::smallint[],
       $7::real[], $8::real[], $9::real[], $10::real[], $11::real[], $12::timestamptz[]) as r(${COLUMNS})
     where exists (select from monitor where monitor.id = r.monitor_id)
     on conflict do nothing`,
    [
      column((result) => result.monitorId),
      column((result) => result.roundAt),
      column((result) => result.region),
      column((result) => result.outcome),
      column((result) => result.error),
      column((result) => result.statusCode ?? null),
      column((result) => result.phases.dns ?? null),
      column((result) => result.phases.connect ?? null),
      column((result) => result.phases.tls ?? null),
      column((result) => result.phases.firstByte ?? null),
      column((result) => result.phases.total ?? null),
      column((result) => result.checkedAt),
    ],
  );
}

/** Makes the partitions of yesterday to three days ahead, and drops those past the retention. Safe to repeat. */
export async function maintainPartitions(tx: Transaction, now: Date): Promise<void> {
  // One replica at a time: making a partition locks the table.
  await tx.query("select pg_advisory_xact_lock(hashtext(current_schema() || '.check_result'))");
  const existing = new Set((await partitions(tx)).map((partition) => partition.name));
  for (let day = -1; day <= 3; day += 1) {
    const from = startOfDay(now.getTime() + day * DAY_MS);
    const name = partitionName(from);
    if (existing.has(name)) continue;
    const to = new Date(from.getTime() + DAY_MS);
    await tx.query(
      `create table ${name} partition of check_result for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
    );
  }
  const oldest = partitionName(startOfDay(now.getTime() - RETENTION_DAYS * DAY_MS));
  for (const name of existing) if (name < oldest) await tx.query(`drop table ${name}`);
}

function partitions(tx: Transaction): Promise<{ name: string }[]> {
  return tx.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = 'check_result'::regclass`,
  );
}

function startOfDay(time: number): Date {
  return new Date(Math.floor(time / DAY_MS) * DAY_MS);
}

/** `check_result_20261120`; names sort as days do. */
function partitionName(day: Date): string {
  return `check_result_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
}
