import type { Transaction } from '@tocsin/database';
import type { CheckOutcome } from '@tocsin/enums';
import type { OpenRound, RegionOutcome } from '../../domain/rounds/round.ts';
import type { Tables } from '../tables.ts';

export async function openRounds(tx: Transaction, rounds: readonly OpenRound[]): Promise<void> {
  if (rounds.length === 0) return;
  // All rounds of one call have the same regions, which are therefore one parameter.
  await tx.query(
    `insert into open_round (monitor_id, round_at, deadline, regions)
     select *, $4::text[] from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) on conflict do nothing`,
    [
      rounds.map((round) => round.monitorId),
      rounds.map((round) => round.at),
      rounds.map((round) => round.deadline),
      rounds[0]?.regions ?? [],
    ],
  );
}

type RoundRow = Pick<Tables['open_round'], 'monitor_id' | 'round_at' | 'regions' | 'deadline'>;

/** Returns the open rounds of monitors, in chronological order for each monitor. */
export async function findOpenRounds(tx: Transaction, monitorIds: readonly string[]): Promise<OpenRound[]> {
  const rows = await tx.query<RoundRow>(
    'select * from open_round where monitor_id = any($1) order by monitor_id, round_at',
    [monitorIds],
  );
  return rows.map((row) => ({
    monitorId: row.monitor_id,
    at: row.round_at,
    regions: row.regions,
    deadline: row.deadline,
  }));
}

/** Returns the monitors with an open round past its deadline. */
export async function findOverdue(tx: Transaction, now: Date, limit: number): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['open_round'], 'monitor_id'>>(
    'select distinct monitor_id from (select monitor_id from open_round where deadline < $1 order by deadline limit $2) as overdue',
    [now, limit],
  );
  return rows.map((row) => row.monitor_id);
}

export function closeRounds(tx: Transaction, rounds: readonly OpenRound[]): void {
  if (rounds.length === 0) return;
  tx.send(
    'delete from open_round using unnest($1::uuid[], $2::timestamptz[]) as closed(monitor_id, round_at) where open_round.monitor_id = closed.monitor_id and open_round.round_at = closed.round_at',
    [rounds.map((round) => round.monitorId), rounds.map((round) => round.at)],
  );
}

/**
 * Deletes the open rounds of a monitor that is disabled or from now on checked in another way, so that they are not
 * decided. Update the schedule of the monitor first: this waits for a transaction that is opening one of its rounds.
 */
export async function dropOpenRounds(tx: Transaction, monitorId: string): Promise<void> {
  await tx.query('delete from open_round where monitor_id = $1', [monitorId]);
}

/** Deletes the open rounds of those of the given monitors that are disabled. */
export function dropRoundsOfDisabled(tx: Transaction, monitorIds: readonly string[]): void {
  if (monitorIds.length === 0) return;
  tx.send(
    `delete from open_round using monitor
     where monitor.id = open_round.monitor_id and not monitor.enabled and open_round.monitor_id = any($1)`,
    [monitorIds],
  );
}

interface OutcomeRow extends Pick<Tables['check_result'], 'monitor_id' | 'round_at' | 'region' | 'outcome' | 'error'> {
  outcome: CheckOutcome;
}

/** Returns the key that identifies a round in maps. */
export function roundKey(monitorId: string, at: Date): string {
  return `${monitorId} ${at.getTime()}`;
}

/** Returns the outcomes of the open rounds of monitors, keyed by roundKey(). */
export async function findOpenOutcomes(
  tx: Transaction,
  monitorIds: readonly string[],
): Promise<Map<string, RegionOutcome[]>> {
  const rows = await tx.query<OutcomeRow>(
    `select o.monitor_id, o.round_at, r.region, r.outcome, r.error
     from open_round o cross join lateral (
       select region, outcome, error from check_result
       where monitor_id = o.monitor_id and round_at = o.round_at
       offset 0 -- Looks each round up by its key: a join of all results costs a hundred times as much.
     ) r
     where o.monitor_id = any($1)`,
    [monitorIds],
  );
  const outcomes = new Map<string, RegionOutcome[]>();
  for (const row of rows) {
    const key = roundKey(row.monitor_id, row.round_at);
    const known = outcomes.get(key);
    if (known) known.push(row);
    else outcomes.set(key, [row]);
  }
  return outcomes;
}

/** Returns the outcomes of a monitor's rounds from `after` (exclusive) to `to` (inclusive), oldest first. */
export async function findOutcomesBetween(
  tx: Transaction,
  monitorId: string,
  { after, to }: { readonly after: Date; readonly to: Date },
): Promise<{ at: Date; outcomes: RegionOutcome[] }[]> {
  const rows = await tx.query<OutcomeRow>(
    `select round_at, region, outcome, error from check_result where monitor_id = $1 and round_at > $2 and round_at <= $3
     order by round_at, region`,
    [monitorId, after, to],
  );
  const rounds = Map.groupBy(rows, (row) => row.round_at.getTime());
  return [...rounds].map(([time, outcomes]) => ({
    at: new Date(time),
    outcomes: outcomes.map(({ region, outcome, error }) => ({ region, outcome, error })),
  }));
}
