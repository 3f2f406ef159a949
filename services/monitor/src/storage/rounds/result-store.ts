import type { Transaction } from '@tocsin/database';
import type { CheckResult } from '../../domain/rounds/check-result.ts';

const DAY_MS = 86_400_000;

/**
 * Returns whether a result may be stored. A result that is at least a day old is too late. A result that is at least
 * five minutes in the future is invalid.
 */
export function isStorable(result: CheckResult, now: Date): boolean {
  const age = now.getTime() - result.roundAt.getTime();
  return age < DAY_MS && age > -5 * 60_000;
}

const COLUMNS =
  'monitor_id, round_at, region, outcome, error, status_code, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, checked_at';

/**
 * Saves results in one statement. Duplicates and results of deleted monitors have no effect. If a result belongs to a
 * sealed hour (an hour that is already released for counting, see sealHours()), the hour is queued for recalculation.
 */
export function insertResults(tx: Transaction, results: readonly CheckResult[]): void {
  if (results.length === 0) return;
  const column = <Value>(pick: (result: CheckResult) => Value) => results.map(pick);
  // Acquire the lock in a separate statement. The snapshot of the insert statement is then taken after the lock is
  // acquired, so the statement reads the latest sealed_to.
  tx.send(`select pg_advisory_xact_lock_shared(${WRITING_LOCK})`);
  tx.send(
    `with written as (
       insert into check_result (organization_id, ${COLUMNS})
       select monitor.organization_id, r.* from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::smallint[],
         $7::real[], $8::real[], $9::real[], $10::real[], $11::real[], $12::timestamptz[]) as r(${COLUMNS})
       join monitor on monitor.id = r.monitor_id
       on conflict do nothing
       returning monitor_id, organization_id, round_at
     )
     insert into roll_up_due (monitor_id, organization_id, hour)
     select distinct monitor_id, organization_id, date_trunc('hour', round_at, 'UTC')
     from written, roll_up_progress where round_at < sealed_to`,
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

/**
 * Queues the sealed hours since `since` of these monitors for recalculation. Call this after a change to a maintenance,
 * because results under maintenance do not count.
 */
export async function announceHours(tx: Transaction, monitorIds: readonly string[], since: Date): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(${WRITING_LOCK})`);
  await tx.query(
    `insert into roll_up_due (monitor_id, organization_id, hour)
     select monitor.id, monitor.organization_id, hour from monitor, roll_up_progress,
       generate_series(date_trunc('hour', $2::timestamptz, 'UTC'), sealed_to - interval '1 hour', interval '1 hour') as hour
     where monitor.id = any($1)`,
    [monitorIds, since],
  );
}

/**
 * Key of an advisory lock. A transaction that writes results holds it in shared mode, and a transaction that seals
 * hours holds it in exclusive mode.
 */
const WRITING_LOCK = "hashtext(current_schema() || '.check_result')";

/**
 * Seals the hours before a time, so that they can be counted. If a result of a sealed hour is saved later, the hour is
 * queued for recalculation. Waits for transactions that are saving results.
 */
export async function sealHours(tx: Transaction, before: Date): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${WRITING_LOCK})`);
  await tx.query('update roll_up_progress set sealed_to = $1 where sealed_to < $1', [before]);
}
