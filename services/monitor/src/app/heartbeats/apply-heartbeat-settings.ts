import type { Transaction } from '@tocsin/database';
import { dueAt, rhythmOf, startHeartbeat } from '../../domain/heartbeats/heartbeat.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { confirmationOf, type EvaluatorState } from '../../domain/rounds/evaluate.ts';
import { lockHeartbeats, saveHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';

/**
 * Updates the heartbeat state of a monitor after a change to its settings. Sets a new deadline for the next ping if the
 * interval or the number of misses has changed, or if the monitor was enabled. Does nothing for other monitor types.
 */
export async function applyHeartbeatSettings(
  tx: Transaction,
  monitor: Monitor,
  evaluatorState: EvaluatorState | undefined,
  { wasEnabled, now }: { readonly wasEnabled: boolean; readonly now: Date },
): Promise<void> {
  if (monitor.checkType !== 'heartbeat') return;
  const [known] = await lockHeartbeats(tx, 'id', [monitor.id]);
  const rhythm = rhythmOf(monitor);
  const { expectedSeconds, misses } = known?.heartbeat ?? {};
  const goesOn = wasEnabled && expectedSeconds === rhythm.expectedSeconds && misses === rhythm.misses;
  const heartbeat = goesOn && known ? known.heartbeat : startHeartbeat(rhythm, now);
  await saveHeartbeats(tx, [
    {
      monitorId: monitor.id,
      organizationId: monitor.organizationId,
      heartbeat,
      window: known?.window ?? { at: now, count: 0 },
      dueAt: monitor.enabled ? dueAt({ heartbeat, evaluatorState, confirmation: confirmationOf(monitor) }) : undefined,
    },
  ]);
}
