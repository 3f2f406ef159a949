import type { Transaction } from '@tocsin/database';
import type { MonitorState, TransitionRuleName } from '@tocsin/enums';
import { v7 } from 'uuid';
import type { RegionOutcome } from '../../domain/rounds/round.ts';
import type { Transition } from '../../domain/rounds/transition.ts';
import type { Tables } from '../tables.ts';

export interface TransitionOfMonitor extends Transition {
  readonly monitorId: string;
  readonly organizationId: string;
}

/** Saves state changes; the changes of one monitor are in chronological order. */
export function insertTransitions(tx: Transaction, transitions: readonly TransitionOfMonitor[]): void {
  if (transitions.length === 0) return;
  const column = <Value>(pick: (transition: TransitionOfMonitor) => Value) => transitions.map(pick);
  tx.send(
    `insert into transition (id, monitor_id, organization_id, state, previous_state, entered_at, error, explanation, rule,
       streak_since, streak_rounds, votes)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[],
       $9::text[], $10::timestamptz[], $11::integer[], $12::jsonb[])`,
    [
      column(() => v7()),
      column(({ monitorId }) => monitorId),
      column(({ organizationId }) => organizationId),
      column(({ state }) => state),
      column(({ previousState }) => previousState ?? null),
      column(({ enteredAt }) => enteredAt),
      column(({ error }) => error),
      column(({ explanation }) => explanation),
      column(({ rule }) => rule),
      column(({ streak }) => streak?.since ?? null),
      column(({ streak }) => streak?.rounds ?? 0),
      column(({ votes }) => JSON.stringify(votes.map(({ region, outcome, error }) => ({ region, outcome, error })))),
    ],
  );
}

export interface StoredTransition extends Transition {
  readonly id: string;
}

interface TransitionRow
  extends Pick<
    Tables['transition'],
    | 'id'
    | 'state'
    | 'previous_state'
    | 'entered_at'
    | 'error'
    | 'explanation'
    | 'rule'
    | 'streak_since'
    | 'streak_rounds'
    | 'votes'
  > {
  state: MonitorState;
  previous_state: MonitorState | null;
  rule: TransitionRuleName;
  votes: RegionOutcome[];
}

/**
 * Returns state changes of a monitor, newest first. `before` is an exclusive upper bound of the ids; `limit` is the
 * maximum number. An undefined value means no bound.
 */
export async function findTransitions(
  tx: Transaction,
  monitorId: string,
  page: { readonly before: string | undefined; readonly limit: number | undefined },
): Promise<StoredTransition[]> {
  const rows = await tx.query<TransitionRow>(
    `select id, state, previous_state, entered_at, error, explanation, rule, streak_since, streak_rounds, votes from transition
     where monitor_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [monitorId, page.before ?? null, page.limit ?? null],
  );
  return rows.map(({ id, state, error, explanation, rule, votes, ...row }) => ({
    id,
    state,
    error,
    explanation,
    rule,
    votes,
    previousState: row.previous_state ?? undefined,
    enteredAt: row.entered_at,
    streak: row.streak_since ? { since: row.streak_since, rounds: row.streak_rounds } : undefined,
  }));
}
