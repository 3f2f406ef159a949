import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { type Confirmation, confirmationOf, evaluate, type Standing, startStanding } from '../domain/evaluate.ts';
import { explain } from '../domain/explain.ts';
import { type OpenRound, type RegionAnswer, vote } from '../domain/round.ts';
import { type Reasons, transitionTo } from '../domain/transition.ts';
import { stateChanged } from '../events/outgoing.ts';
import { findMonitorsOfAll, lockForJudgement } from '../storage/monitor-store.ts';
import { closeRounds, findAnswers, findOpenRounds, findOverdue, roundKey } from '../storage/round-store.ts';
import { insertSilences } from '../storage/run-store.ts';
import { awaitClaims } from '../storage/schedule-store.ts';
import { findStandings, saveStandings } from '../storage/standing-store.ts';
import { insertTransitions } from '../storage/transition-store.ts';
import type { Deps } from './ports.ts';

/** How many monitors one sweep decides. */
const SWEEP_LIMIT = 500;

/** Decides rounds whose deadline is past with the answers that there are. Answers how many monitors it looked at. */
export async function settleOverdueRounds(deps: Deps): Promise<number> {
  return deps.database.transaction('every organization', async (tx) => {
    const now = deps.now();
    const monitorIds = await findOverdue(tx, now, SWEEP_LIMIT);
    await settleRounds(tx, monitorIds, now);
    return monitorIds.length;
  });
}

interface Judgement {
  readonly standing: Standing;
  readonly closed: readonly OpenRound[];
  /** Each change of state with the words for it. */
  readonly changes: readonly (Reasons & { readonly standing: Standing })[];
}

/**
 * Votes and evaluates the open rounds of some monitors, each monitor's in the order of their times: a round waits for
 * the ones before it. State, facts and the closing of the rounds commit together.
 */
export async function settleRounds(tx: Transaction, monitorIds: readonly string[], now: Date): Promise<void> {
  if (monitorIds.length === 0) return;
  const monitors = await lockForJudgement(tx, monitorIds);
  await awaitClaims(tx, monitorIds);
  const rounds = await findOpenRounds(tx, monitorIds);
  if (rounds.length === 0) return;
  const answers = await findAnswers(tx, rounds);
  const standings = await findStandings(tx, monitorIds);
  const roundsOf = Map.groupBy(rounds, (round) => round.monitorId);

  const judged = monitors.map((monitor) => ({
    monitor,
    ...judge(standings.get(monitor.id), roundsOf.get(monitor.id) ?? [], answers, confirmationOf(monitor), now),
  }));
  const moved = judged.filter(({ closed }) => closed.length > 0);
  const closed = moved.flatMap((judgement) => judgement.closed);
  await closeRounds(tx, closed);
  const silent = closed.filter((round) => !answers.has(roundKey(round.monitorId, round.at)));
  await insertSilences(
    tx,
    silent.map(({ monitorId, at }) => ({ monitorId, firstAt: at, lastAt: at, stepSeconds: 1 })),
  );
  await saveStandings(
    tx,
    moved.map(({ monitor, standing }) => ({ monitorId: monitor.id, organizationId: monitor.organizationId, standing })),
  );
  await publishChanges(
    tx,
    moved
      .filter(({ changes }) => changes.length > 0)
      .map(({ monitor, changes }) => ({ monitorId: monitor.id, changes })),
    now,
  );
}

function judge(
  known: Standing | undefined,
  rounds: readonly OpenRound[],
  answers: ReadonlyMap<string, readonly RegionAnswer[]>,
  confirmation: Confirmation,
  now: Date,
): Judgement {
  let standing = known;
  const closed: OpenRound[] = [];
  const changes: (Reasons & { standing: Standing })[] = [];
  for (const round of rounds) {
    const votes = answers.get(roundKey(round.monitorId, round.at)) ?? [];
    const verdict = vote(round, votes, now);
    if (verdict === 'waiting') break;
    closed.push(round);
    standing ??= startStanding(round.at);
    if (verdict === 'undecided') continue;
    const evaluation = evaluate(standing, { at: round.at, verdict }, confirmation);
    standing = evaluation.standing;
    if (evaluation.changed) changes.push({ standing, votes, ...explain(standing, round, votes) });
  }
  return { standing: standing ?? startStanding(now), closed, changes };
}

/** Appends the fact of each change of state, and keeps it as history. */
export async function publishChanges(
  tx: Transaction,
  changed: readonly { monitorId: string; changes: Judgement['changes'] }[],
  now: Date,
): Promise<void> {
  if (changed.length === 0) return;
  const monitors = await findMonitorsOfAll(
    tx,
    changed.map(({ monitorId }) => monitorId),
  );
  const changesOf = new Map(changed.map(({ monitorId, changes }) => [monitorId, changes]));
  const events = monitors.flatMap((monitor) =>
    (changesOf.get(monitor.id) ?? []).map(({ standing, ...words }) => stateChanged(monitor, standing, words)),
  );
  await appendEvents(tx, events, now);
  await insertTransitions(
    tx,
    monitors.flatMap(({ id: monitorId, organizationId }) =>
      (changesOf.get(monitorId) ?? []).map(({ standing, ...reasons }) => ({
        ...{ monitorId, organizationId },
        ...transitionTo(standing, reasons),
      })),
    ),
  );
}
