import type { Transaction } from '@tocsin/database';
import { dueAt, type HeartbeatState, type Step } from '../../domain/heartbeats/heartbeat.ts';
import type { PingWindow } from '../../domain/heartbeats/ping-window.ts';
import { confirmationOf } from '../../domain/rounds/evaluate.ts';
import { type HeartbeatMonitor, saveHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';
import { findEvaluatorStates, saveEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';
import { insertResults } from '../../storage/rounds/result-store.ts';
import { publishStateChanges } from '../rounds/publish-state-changes.ts';

/** Region under which pings are stored in the history. It is not the region of a checker. */
const REGION = 'heartbeat';

/**
 * A heartbeat monitor that the transaction has locked: `found` is the monitor as it was read, `steps` are the changes
 * made to it since then, and `now` is its state after these steps.
 */
export interface HeartbeatChanges {
  readonly found: HeartbeatMonitor;
  readonly now: HeartbeatState;
  readonly steps: readonly Step[];
  readonly window: PingWindow;
}

export async function beginHeartbeatChanges(
  tx: Transaction,
  monitors: readonly HeartbeatMonitor[],
): Promise<HeartbeatChanges[]> {
  const evaluatorStates = await findEvaluatorStates(
    tx,
    monitors.map(({ monitor }) => monitor.id),
  );
  return monitors.map((found) => {
    const { monitor, heartbeat, window } = found;
    const now = { heartbeat, evaluatorState: evaluatorStates.get(monitor.id), confirmation: confirmationOf(monitor) };
    return { found, now, steps: [], window };
  });
}

export function withStep(beats: HeartbeatChanges, step: Step): HeartbeatChanges {
  return { ...beats, now: step, steps: [...beats.steps, step] };
}

/** Saves the changes of heartbeat monitors: their history, evaluator states, deadlines and events. */
export async function saveHeartbeatChanges(tx: Transaction, all: readonly HeartbeatChanges[], at: Date): Promise<void> {
  const moved = all.filter(({ steps }) => steps.length > 0);
  insertResults(tx, moved.flatMap(resultsOf));
  saveEvaluatorStates(
    tx,
    moved.flatMap(({ found: { monitor }, now: { evaluatorState } }) =>
      evaluatorState ? [{ monitorId: monitor.id, organizationId: monitor.organizationId, evaluatorState }] : [],
    ),
  );
  await saveHeartbeats(
    tx,
    all.map(({ found: { monitor, enabled }, now, window }) => ({
      monitorId: monitor.id,
      organizationId: monitor.organizationId,
      heartbeat: now.heartbeat,
      window,
      dueAt: enabled ? dueAt(now) : undefined,
    })),
  );
  const changed = moved.map(({ found: { monitor }, steps }) => ({
    monitorId: monitor.id,
    changes: steps.flatMap(({ change }) => (change ? [change] : [])),
  }));
  await publishStateChanges(tx, changed, at);
}

function resultsOf({ found, steps }: HeartbeatChanges) {
  return steps.flatMap(({ beat }) =>
    beat
      ? [
          {
            monitorId: found.monitor.id,
            roundAt: beat.at,
            region: REGION,
            outcome: beat.outcome,
            error: beat.error,
            statusCode: undefined,
            phases: beat.phases,
            checkedAt: beat.at,
          },
        ]
      : [],
  );
}
