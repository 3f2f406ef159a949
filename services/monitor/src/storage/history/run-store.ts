import type { Transaction } from '@tocsin/database';
import type { CheckOutcome } from '@tocsin/enums';
import type { CheckResult } from '../../domain/rounds/check-result.ts';
import type { Tables } from '../tables.ts';

/** Successive rounds without any result, `stepSeconds` apart. */
export interface MissedRounds {
  readonly monitorId: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly stepSeconds: number;
}

/** Saves rounds without results, so that they appear in the history. */
export function insertMissedRounds(tx: Transaction, missed: readonly MissedRounds[]): void {
  if (missed.length === 0) return;
  tx.send(
    `insert into silence (monitor_id, organization_id, first_at, last_at, step_seconds)
     select s.monitor_id, monitor.organization_id, s.first_at, s.last_at, s.step_seconds
     from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::integer[]) as s(monitor_id, first_at, last_at, step_seconds)
     join monitor on monitor.id = s.monitor_id on conflict do nothing`,
    [
      missed.map(({ monitorId }) => monitorId),
      missed.map(({ firstAt }) => firstAt),
      missed.map(({ lastAt }) => lastAt),
      missed.map(({ stepSeconds }) => stepSeconds),
    ],
  );
}

/**
 * Returns the times of a monitor's rounds from `since` (inclusive) to `before` (exclusive), newest first, including
 * rounds without results.
 */
export async function findRoundTimes(
  tx: Transaction,
  monitorId: string,
  page: { readonly since: Date; readonly before: Date; readonly limit: number },
): Promise<Date[]> {
  const rows = await tx.query<Pick<Tables['check_result'], 'round_at'>>(
    `(select distinct round_at from check_result
      where monitor_id = $1 and round_at >= $2 and round_at < $3 order by round_at desc limit $4)
     union
     (select round_at from silence, generate_series(last_at, greatest(first_at, $2), make_interval(secs => -step_seconds)) as round_at
      where monitor_id = $1 and last_at >= $2 and first_at < $3 and round_at < $3 order by round_at desc limit $4)
     order by round_at desc limit $4`,
    [monitorId, page.since, page.before, page.limit],
  );
  return rows.map((row) => row.round_at);
}

interface ResultRow
  extends Pick<
    Tables['check_result'],
    | 'round_at'
    | 'region'
    | 'outcome'
    | 'error'
    | 'status_code'
    | 'dns_ms'
    | 'connect_ms'
    | 'tls_ms'
    | 'first_byte_ms'
    | 'total_ms'
    | 'checked_at'
  > {
  outcome: CheckOutcome;
}

/** Returns the results of the given rounds of a monitor, in no particular order. `rounds` is sorted, newest first. */
export async function findResults(tx: Transaction, monitorId: string, rounds: readonly Date[]): Promise<CheckResult[]> {
  if (rounds.length === 0) return [];
  const rows = await tx.query<ResultRow>(
    // The bounds on round_at restrict the query to the partitions of these rounds.
    `select round_at, region, outcome, error, status_code, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, checked_at
     from check_result where monitor_id = $1 and round_at = any($2) and round_at >= $3 and round_at <= $4`,
    [monitorId, rounds, rounds.at(-1), rounds[0]],
  );
  return rows.map((row) => ({
    monitorId,
    roundAt: row.round_at,
    region: row.region,
    outcome: row.outcome,
    error: row.error,
    statusCode: row.status_code ?? undefined,
    phases: {
      dns: row.dns_ms ?? undefined,
      connect: row.connect_ms ?? undefined,
      tls: row.tls_ms ?? undefined,
      firstByte: row.first_byte_ms ?? undefined,
      total: row.total_ms ?? undefined,
    },
    checkedAt: row.checked_at,
  }));
}
