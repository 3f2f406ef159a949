import type { Transaction } from '@tocsin/database';
import type { MonitorState } from '@tocsin/enums';
import type { EvaluatorState } from '../../domain/rounds/evaluate.ts';
import type { Tables } from '../tables.ts';

/** A row of `monitor_state`. */
export interface StateRow extends Omit<Tables['monitor_state'], 'organization_id'> {
  state: MonitorState;
  previous_state: MonitorState | null;
  streak_verdict: 'pass' | 'fail' | null;
}

export function toEvaluatorState(row: StateRow): EvaluatorState {
  return {
    state: row.state,
    enteredAt: row.entered_at,
    previousState: row.previous_state ?? undefined,
    previousEnteredAt: row.previous_entered_at ?? undefined,
    streak:
      row.streak_verdict && row.streak_since
        ? { verdict: row.streak_verdict, since: row.streak_since, rounds: row.streak_rounds }
        : undefined,
    lastRoundAt: row.last_round_at ?? undefined,
  };
}

/** Returns evaluator states by monitor id. Omits monitors without a stored state. */
export async function findEvaluatorStates(
  tx: Transaction,
  monitorIds: readonly string[],
): Promise<Map<string, EvaluatorState>> {
  const rows = await tx.query<StateRow>('select * from monitor_state where monitor_id = any($1)', [monitorIds]);
  return new Map(rows.map((row) => [row.monitor_id, toEvaluatorState(row)]));
}

export interface MonitorEvaluatorState {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly evaluatorState: EvaluatorState;
}

/** Saves evaluator states in one statement. The caller must lock the monitors first. */
export function saveEvaluatorStates(tx: Transaction, entries: readonly MonitorEvaluatorState[]): void {
  if (entries.length === 0) return;
  const column = <Value>(pick: (evaluatorState: EvaluatorState) => Value) =>
    entries.map(({ evaluatorState }) => pick(evaluatorState));
  tx.send(
    `insert into monitor_state (monitor_id, organization_id, state, entered_at, previous_state, previous_entered_at,
       streak_verdict, streak_since, streak_rounds, last_round_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::timestamptz[],
       $7::text[], $8::timestamptz[], $9::integer[], $10::timestamptz[])
     on conflict (monitor_id) do update set state = excluded.state, entered_at = excluded.entered_at,
       previous_state = excluded.previous_state, previous_entered_at = excluded.previous_entered_at,
       streak_verdict = excluded.streak_verdict, streak_since = excluded.streak_since,
       streak_rounds = excluded.streak_rounds, last_round_at = excluded.last_round_at`,
    [
      entries.map((entry) => entry.monitorId),
      entries.map((entry) => entry.organizationId),
      column((evaluatorState) => evaluatorState.state),
      column((evaluatorState) => evaluatorState.enteredAt),
      column((evaluatorState) => evaluatorState.previousState ?? null),
      column((evaluatorState) => evaluatorState.previousEnteredAt ?? null),
      column((evaluatorState) => evaluatorState.streak?.verdict ?? null),
      column((evaluatorState) => evaluatorState.streak?.since ?? null),
      column((evaluatorState) => evaluatorState.streak?.rounds ?? 0),
      column((evaluatorState) => evaluatorState.lastRoundAt ?? null),
    ],
  );
}
