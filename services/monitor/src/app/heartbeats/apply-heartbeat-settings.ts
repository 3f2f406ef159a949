import type { Transaction } from '@tocsin/database';
import { dueAt, rhythmOf, startHeartbeat } from '../../domain/heartbeats/heartbeat.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { clearFailures, confirmationOf, type EvaluatorState } from '../../domain/rounds/evaluate.ts';
import { lockHeartbeats, saveHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';
import { saveEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';

/**
 * Updates the heartbeat state of a monitor after a change to its settings. Sets a new deadline for the next ping if the
 * interval or the number of misses has changed, or if the monitor was enabled. Pings that were missed under the earlier
 * settings then no longer count toward a confirmation. Returns the evaluator state. Does nothing for other monitor
 * types.
 */
export async function applyHeartbeatSettings(
  tx: Transaction,
  monitor: Monitor,
  evaluatorState: EvaluatorState | undefined,
  { wasEnabled, now }: { readonly wasEnabled: boolean; readonly now: Date },
): Promise<EvaluatorState | undefined> {
  if (monitor.checkType !== 'heartbeat') return evaluatorState;
  const { id: monitorId, organizationId } = monitor;
  const [known] = await lockHeartbeats(tx, 'id', [monitor.id]);
  const rhythm = rhythmOf(monitor);
  const { expectedSeconds, misses } = known?.heartbeat ?? {};
  const goesOn = wasEnabled && expectedSeconds === rhythm.expectedSeconds && misses === rhythm.misses;
  const heartbeat = goesOn && known ? known.heartbeat : startHeartbeat(rhythm, now);
  const updated = evaluatorState && !goesOn ? clearFailures(evaluatorState) : evaluatorState;
  if (updated && updated !== evaluatorState) {
    saveEvaluatorStates(tx, [{ monitorId, organizationId, evaluatorState: updated }]);
  }
  const state = { heartbeat, evaluatorState: updated, confirmation: confirmationOf(monitor) };
  await saveHeartbeats(tx, [
    {
      monitorId,
      organizationId,
      heartbeat,
      window: known?.window ?? { at: now, count: 0 },
      dueAt: monitor.enabled ? dueAt(state) : undefined,
    },
  ]);
  return updated;
}
