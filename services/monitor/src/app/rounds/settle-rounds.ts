import type { Transaction } from '@tocsin/database';
import { decideRounds } from '../../domain/rounds/decide-rounds.ts';
import { confirmationOf } from '../../domain/rounds/evaluate.ts';
import { insertMissedRounds } from '../../storage/history/run-store.ts';
import { lockToDecide } from '../../storage/monitors/monitor-store.ts';
import { findEvaluatorStates, saveEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';
import {
  closeRounds,
  dropRoundsOfDisabled,
  findOpenOutcomes,
  findOpenRounds,
  findOverdue,
  roundKey,
} from '../../storage/rounds/round-store.ts';
import { awaitClaims } from '../../storage/rounds/schedule-store.ts';
import type { Deps } from '../ports.ts';
import { publishStateChanges, readChanging } from './publish-state-changes.ts';

/** Maximum number of monitors in one transaction. */
export const SWEEP_LIMIT = 500;

/**
 * Decides rounds past their deadline with the results that have arrived. All results before `recordedUpTo` must have
 * been recorded, because a region without a result counts as unknown. Deletes overdue rounds of disabled monitors.
 * Returns the number of monitors with overdue rounds.
 */
export async function settleOverdueRounds(deps: Deps, recordedUpTo: Date): Promise<number> {
  return deps.database.transaction('every organization', async (tx) => {
    const monitorIds = await findOverdue(tx, recordedUpTo, SWEEP_LIMIT);
    dropRoundsOfDisabled(tx, monitorIds);
    await settleRounds(tx, monitorIds, deps.now(), { recordedUpTo });
    return monitorIds.length;
  });
}

const NOTHING_RECORDED = new Date(0);

export interface SettleOptions {
  /**
   * Time up to which all results have been recorded. Without it, rounds wait for missing results even past their
   * deadline, because the results may still be in the stream.
   */
  readonly recordedUpTo?: Date;
  /** Monitors whose state may change. What a change needs is read together with the rounds. */
  readonly mayChange?: readonly string[];
}

/** Decides the open rounds of monitors, and saves the closed rounds, states and events. */
export async function settleRounds(
  tx: Transaction,
  monitorIds: readonly string[],
  now: Date,
  { recordedUpTo = NOTHING_RECORDED, mayChange = [] }: SettleOptions = {},
): Promise<void> {
  if (monitorIds.length === 0) return;
  // The statements are sent together and run one after the other, so the others see what the first two waited for.
  const [monitors, , rounds, evaluatorStates, outcomes, known] = await Promise.all([
    lockToDecide(tx, monitorIds),
    awaitClaims(tx, monitorIds),
    findOpenRounds(tx, monitorIds),
    findEvaluatorStates(tx, monitorIds),
    findOpenOutcomes(tx, monitorIds),
    mayChange.length > 0 ? readChanging(tx, mayChange) : undefined,
  ]);
  if (rounds.length === 0) return;
  const roundsOf = Map.groupBy(rounds, (round) => round.monitorId);

  const decisions = monitors.map((monitor) => ({
    monitorId: monitor.id,
    organizationId: monitor.organizationId,
    ...decideRounds(
      evaluatorStates.get(monitor.id),
      roundsOf.get(monitor.id) ?? [],
      ({ monitorId, at }) => outcomes.get(roundKey(monitorId, at)) ?? [],
      confirmationOf(monitor),
      recordedUpTo,
    ),
  }));
  const closed = decisions.flatMap((decision) => decision.closed);
  closeRounds(tx, closed);
  const silent = closed.filter((round) => !outcomes.has(roundKey(round.monitorId, round.at)));
  insertMissedRounds(
    tx,
    silent.map(({ monitorId, at }) => ({ monitorId, firstAt: at, lastAt: at, stepSeconds: 1 })),
  );
  saveEvaluatorStates(
    tx,
    decisions.flatMap(({ monitorId, organizationId, evaluatorState, closed }) =>
      evaluatorState && closed.length > 0 ? [{ monitorId, organizationId, evaluatorState }] : [],
    ),
  );
  await publishStateChanges(tx, decisions, now, known);
}
