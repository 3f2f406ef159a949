import type { LoopOutcome } from '@tocsin/runtime';
import { applyDeadline, dueAt } from '../../domain/heartbeats/heartbeat.ts';
import { findHeartbeatsDueBy, heartbeatDueSql, lockHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';
import type { Deps } from '../ports.ts';
import { beginHeartbeatChanges, type HeartbeatChanges, saveHeartbeatChanges, withStep } from './heartbeat-changes.ts';

/** Maximum number of monitors in one transaction. */
const LIMIT = 500;

/**
 * Maximum time between two runs, in milliseconds. The limit is short, because a change of settings can make a decision
 * due earlier than the last run calculated.
 */
export const DECIDE_EVERY_MS = 1_000;

/**
 * How far a run looks ahead, in milliseconds. It waits for the decisions that become due in this time, so that they are
 * made on time. The service looks for work once a second, which may take a moment.
 */
const AHEAD_MS = 1_500;

/** SQL expression for the time that is AHEAD_MS before the next decision. */
export const HEARTBEAT_DUE = heartbeatDueSql(AHEAD_MS);

/**
 * Milliseconds to wait after a run that found due monitors. If the run skipped a monitor that another transaction had
 * locked, the run after this pause tries it again.
 */
const PAUSE_MS = 200;

/** Applies expired deadlines and confirmation windows of heartbeat monitors. Returns when the next decision is due. */
export async function decideDueHeartbeats(deps: Deps): Promise<LoopOutcome> {
  const now = deps.now();
  const horizon = new Date(now.getTime() + AHEAD_MS);
  const soon = await deps.database.transaction('every organization', (tx) => findHeartbeatsDueBy(tx, horizon, LIMIT));
  const due = soon.filter((heartbeat) => heartbeat.dueAt <= now).map(({ monitorId }) => monitorId);
  if (due.length > 0) await decide(deps, due);
  if (due.length === LIMIT) return 'again';
  if (due.length > 0) return { dueInMs: PAUSE_MS };
  const [next] = soon;
  return next ? { dueInMs: next.dueAt.getTime() - now.getTime() } : 'done';
}

async function decide({ database, now: clock }: Deps, monitorIds: readonly string[]): Promise<void> {
  await database.transaction('every organization', async (tx) => {
    // A locked monitor is skipped, so that it does not delay others. It remains due and is found again in the next run.
    const monitors = await lockHeartbeats(tx, 'id', monitorIds, { skipLocked: true });
    const locked = await beginHeartbeatChanges(tx, monitors);
    const now = clock();
    // A ping, an update or another replica may have changed the monitor since the query.
    const isDue = ({ found, now: beating }: HeartbeatChanges) => found.enabled && dueAt(beating) <= now;
    const decided = locked.map((beats) => (isDue(beats) ? withStep(beats, applyDeadline(beats.now, now)) : beats));
    await saveHeartbeatChanges(tx, decided, now);
  });
}
