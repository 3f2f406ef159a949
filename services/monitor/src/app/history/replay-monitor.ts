import type { Transaction } from '@tocsin/database';
import { invalid, notFound } from '@tocsin/errors';
import { floorToDay } from '../../domain/history/history-range.ts';
import { type Difference, differencesOf, type Memory, memoryOf, replay } from '../../domain/history/replay.ts';
import { confirmationOf, type EvaluatorState, initialEvaluatorState } from '../../domain/rounds/evaluate.ts';
import type { Change } from '../../domain/rounds/transition.ts';
import { RETENTION_DAYS } from '../../storage/history/partitions.ts';
import { findMonitor } from '../../storage/monitors/monitor-store.ts';
import { findOutcomesBetween } from '../../storage/rounds/round-store.ts';
import { findTransitions, type StoredTransition } from '../../storage/rounds/transition-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

export interface Replay {
  readonly monitorId: string;
  /** Start of the replay. If undefined, the replay covers the whole history. */
  readonly since: Date | undefined;
}

export interface ReplayOutcome {
  /**
   * Actual start of the replay: the time of the last state change at or before `since`. If there is no such change,
   * this is `since` or the start of the history.
   */
  readonly from: Date;
  readonly rounds: number;
  /** Number of recorded state changes after `from`. */
  readonly transitions: number;
  readonly differences: readonly Difference[];
}

/** Span of history that is loaded into memory at a time, in milliseconds. */
const PIECE_MS = 86_400_000;

/**
 * Evaluates a monitor's history with the current rules and settings, and returns the differences from the recorded
 * state changes. Nothing is changed.
 * @throws ServiceError `not_found`, or `invalid` for a heartbeat monitor, which has no rounds.
 */
export async function replayMonitor(
  deps: Deps,
  organizationId: string,
  { monitorId, since }: Replay,
): Promise<ReplayOutcome> {
  requireId(monitorId);
  const now = deps.now();
  return deps.database.transaction({ organizationId }, async (tx) => {
    const monitor = await findMonitor(tx, organizationId, monitorId);
    if (!monitor) throw notFound('monitor');
    if (monitor.checkType === 'heartbeat') throw invalid({ monitor_id: ['is of a heartbeat, which has no rounds'] });
    const kept = (await findTransitions(tx, monitorId, { before: undefined, limit: undefined })).reverse();
    const oldest = new Date(floorToDay(now).getTime() - RETENTION_DAYS * PIECE_MS);
    const wanted = since && since > oldest ? since : oldest;
    const start = kept.findLast(({ enteredAt }) => enteredAt <= wanted);
    const from = start?.enteredAt ?? wanted;
    const transitions = kept.filter(({ enteredAt }) => enteredAt > from);

    let evaluatorState = start && evaluatorStateAfter(start);
    let rounds = 0;
    const changes: Change[] = [];
    for (let piece = from; piece < now; ) {
      const end = new Date(Math.min(piece.getTime() + PIECE_MS, now.getTime()));
      const memories = await remember(tx, monitorId, transitions, { after: piece, to: end });
      rounds += memories.filter(({ kind }) => kind === 'round').length;
      const replayed = replay(evaluatorState, memories, deps.regions, confirmationOf(monitor));
      evaluatorState = replayed.evaluatorState;
      changes.push(...replayed.changes);
      piece = end;
    }
    return { from, rounds, transitions: transitions.length, differences: differencesOf(transitions, changes) };
  });
}

async function remember(
  tx: Transaction,
  monitorId: string,
  transitions: readonly StoredTransition[],
  { after, to }: { readonly after: Date; readonly to: Date },
): Promise<Memory[]> {
  const outcomes = await findOutcomesBetween(tx, monitorId, { after, to });
  const rounds = outcomes.map((round): Memory => ({ kind: 'round', ...round }));
  const others = transitions
    .filter(({ enteredAt }) => enteredAt > after && enteredAt <= to)
    .flatMap((transition) => memoryOf(transition) ?? []);
  return [...rounds, ...others].sort((a, b) => a.at.getTime() - b.at.getTime());
}

/**
 * Returns the evaluator state after a recorded state change. It contains no streak of rounds with the same vote,
 * because the next state change needs a new streak.
 */
function evaluatorStateAfter({ state, enteredAt, previousState }: StoredTransition): EvaluatorState {
  return { ...initialEvaluatorState(enteredAt), state, previousState, lastRoundAt: enteredAt };
}
