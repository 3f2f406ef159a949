import type { Database, Transaction } from '@tocsin/database';
import type { CheckType } from '@tocsin/enums';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { offsetOf } from '../../domain/rounds/timetable.ts';
import type { Tables } from '../tables.ts';

/** A monitor whose next round is due. */
export interface DueRound {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly checkType: CheckType;
  /** Newest scheduled time that is not after the time `at` of the claim. */
  readonly dueAt: Date;
  /** Time of the next round before the claim. */
  readonly wasDueAt: Date;
  /** Offset of the rounds within the interval, in seconds. */
  readonly offsetSeconds: number;
  readonly timeoutMs: number;
  readonly configVersion: number;
  readonly intervalSeconds: number;
  /** Number of scheduled times before `dueAt` at which no round started. */
  readonly missed: number;
}

/**
 * SQL expression for the 1 to 999 ms by which the rounds of a monitor are moved in a time that the clock repeats after
 * it was set back. The rounds then differ from those of the first time, whose results are stored, and so do the ids of
 * jobs and outages, which are derived from the time of a round.
 */
export const OWN_MILLISECONDS = '(1 + floor(random() * 999)::integer) * 0.001';

/**
 * Schedules the next round of enabled monitors at `firstRoundAt`. Rounds are opened ahead of time, so a round for this
 * time or a later time may already be open. In that case, the next round is scheduled directly after the last open
 * round, because a second round with the same time would be dropped. Heartbeat monitors have no rounds.
 */
export function schedule(tx: Transaction, monitors: readonly Monitor[], firstRoundAt: Date): void {
  const column = <Value>(pick: (monitor: Monitor) => Value) => monitors.map(pick);
  tx.send(
    `insert into schedule (monitor_id, next_round_at, interval_seconds, offset_seconds, timeout_ms, config_version)
     select id, $2::timestamptz, interval_seconds,
       -- Results with a later time are there only if the clock was set back.
       offset_seconds + case when exists (
         select from check_result where monitor_id = id and round_at > $2::timestamptz + interval '5 seconds'
       ) then ${OWN_MILLISECONDS} else 0 end,
       timeout_ms, config_version
     from unnest($1::uuid[], $3::integer[], $4::numeric[], $5::integer[], $6::integer[])
       as t(id, interval_seconds, offset_seconds, timeout_ms, config_version)
     on conflict (monitor_id) do update set
       next_round_at = greatest(excluded.next_round_at, schedule.next_round_at - make_interval(secs => schedule.interval_seconds) + interval '1 millisecond'),
       interval_seconds = excluded.interval_seconds,
       offset_seconds = excluded.offset_seconds, timeout_ms = excluded.timeout_ms, config_version = excluded.config_version`,
    [
      column(({ id }) => id),
      firstRoundAt,
      column(({ intervalSeconds }) => intervalSeconds),
      column(({ id, intervalSeconds }) => offsetOf(id, intervalSeconds)),
      column(({ timeoutMs }) => timeoutMs),
      column(({ version }) => version),
    ],
  );
}

/** Removes monitors from the schedule. */
export async function unschedule(tx: Transaction, monitorIds: readonly string[]): Promise<void> {
  await tx.query('delete from schedule where monitor_id = any($1)', [monitorIds]);
}

interface DueRow
  extends Pick<Tables['schedule'], 'monitor_id' | 'timeout_ms' | 'config_version' | 'interval_seconds'>,
    Pick<Tables['monitor'], 'organization_id' | 'check_type'> {
  check_type: CheckType;
  due_at: Date;
  was_due_at: Date;
  offset_seconds: number;
  missed: number;
}

export interface Claim {
  /** Time at which the rounds are due. */
  readonly at: Date;
  /** Time after which rounds are looked for; undefined for all rounds. */
  readonly since: Date | undefined;
  /** Maximum number of rounds. */
  readonly limit: number;
}

/** Returns the time of the first round after `since` that claimDueRounds() may find. Uses one round trip. */
export async function findNextRound(database: Database, since: Date): Promise<Date | undefined> {
  const [row] = await database.read<{ at: Date | null }>(
    'every organization',
    'select min(next_round_at) as at from schedule where next_round_at > $1',
    [since],
  );
  return row?.at ?? undefined;
}

/**
 * Returns the monitors that are due at `at`, and schedules their next round. Concurrent replicas get different
 * monitors. After an outage, each monitor is due only once, for its newest scheduled time. The scheduled
 * times before it count as missed.
 */
export async function claimDueRounds(tx: Transaction, { at, since, limit }: Claim): Promise<DueRound[]> {
  const rows = await tx.query<DueRow>(
    `with due as (
       select monitor_id, next_round_at, interval_seconds as step,
         -- The newest scheduled time of the monitor that is not after the time of the claim.
         to_timestamp(floor((extract(epoch from $1::timestamptz) - offset_seconds) / interval_seconds) * interval_seconds + offset_seconds) as slot
       from schedule where next_round_at <= $1 and next_round_at > $3::timestamptz order by next_round_at limit $2 for update skip locked
     )
     update schedule set next_round_at = due.slot + make_interval(secs => due.step)
     from due join monitor on monitor.id = due.monitor_id where schedule.monitor_id = due.monitor_id
     returning schedule.monitor_id, monitor.organization_id, monitor.check_type, greatest(due.next_round_at, due.slot) as due_at, due.next_round_at as was_due_at, schedule.offset_seconds, schedule.timeout_ms, config_version, schedule.interval_seconds,
       greatest(0, floor(extract(epoch from (due.slot - due.next_round_at)) / due.step))::integer as missed`,
    [at, limit, since ?? '-infinity'],
  );
  return rows.map((row) => ({
    monitorId: row.monitor_id,
    organizationId: row.organization_id,
    checkType: row.check_type,
    dueAt: row.due_at,
    wasDueAt: row.was_due_at,
    offsetSeconds: row.offset_seconds,
    timeoutMs: row.timeout_ms,
    configVersion: row.config_version,
    intervalSeconds: row.interval_seconds,
    missed: row.missed,
  }));
}

/** Schedules the next rounds of claimed monitors at these times, or leaves them at earlier times. */
export async function postponeRounds(
  tx: Transaction,
  rounds: readonly { readonly monitorId: string; readonly at: Date }[],
): Promise<void> {
  if (rounds.length === 0) return;
  await tx.query(
    `update schedule set next_round_at = t.at from unnest($1::uuid[], $2::timestamptz[]) as t(monitor_id, at)
     where schedule.monitor_id = t.monitor_id and t.at < next_round_at`,
    [rounds.map(({ monitorId }) => monitorId), rounds.map(({ at }) => at)],
  );
}

/**
 * Waits until the open transactions that called claimDueRounds() for these monitors end. Such a transaction sends the
 * jobs of its rounds before it commits, so a result can arrive before its round is visible.
 */
export async function awaitClaims(tx: Transaction, monitorIds: readonly string[]): Promise<void> {
  await tx.query('select from schedule where monitor_id = any($1) order by monitor_id for key share', [monitorIds]);
}
