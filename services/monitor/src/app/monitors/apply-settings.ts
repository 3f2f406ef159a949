import type { Transaction } from '@tocsin/database';
import { appendEvents, type OutgoingEvent } from '@tocsin/outbox';
import type { DisableCause } from '../../domain/auto-disable/auto-disable.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { clearFailures, initialEvaluatorState } from '../../domain/rounds/evaluate.ts';
import { transitionTo } from '../../domain/rounds/transition.ts';
import { monitorUpdated, stateChanged } from '../../events/outgoing.ts';
import { clearDownHistory } from '../../storage/auto-disable/auto-disable-store.ts';
import { deleteCertificates } from '../../storage/certificates/certificate-store.ts';
import { popHeldAlerts } from '../../storage/maintenance/maintenance-store.ts';
import { saveEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';
import { dropOpenRounds } from '../../storage/rounds/round-store.ts';
import { schedule, unschedule } from '../../storage/rounds/schedule-store.ts';
import { unwatch, watch } from '../../storage/rounds/staleness-store.ts';
import { insertTransitions } from '../../storage/rounds/transition-store.ts';
import { applyHeartbeatSettings } from '../heartbeats/apply-heartbeat-settings.ts';
import { viewOf } from './monitor-view.ts';

export interface SettingsChange {
  /** Cause, if the system disables the monitor. */
  readonly autoDisabled?: DisableCause;
  /** Whether the name or value of a secret has changed. */
  readonly secretsChanged?: boolean;
}

/**
 * Applies a saved change to a monitor's settings: updates the schedule and everything else that depends on the
 * settings, and appends the events. A disabled monitor keeps its state; a monitor that is enabled again starts in state
 * pending. If the target is checked in another way from now on, earlier failures and rounds that are still open don't
 * count toward the state down; their results remain in the history. The caller must hold the lock on the monitor.
 */
export async function applySettings(
  tx: Transaction,
  before: Monitor,
  monitor: Monitor,
  now: Date,
  { autoDisabled, secretsChanged = false }: SettingsChange = {},
): Promise<MonitorView> {
  const view = await viewOf(tx, monitor);
  let { evaluatorState } = view;
  const events: OutgoingEvent[] = [];
  await putOnSchedule(tx, monitor, now);
  const isDisabled = before.enabled && !monitor.enabled;
  const isCheckChanged =
    secretsChanged || before.configJson !== monitor.configJson || before.timeoutMs !== monitor.timeoutMs;
  if (isDisabled || isCheckChanged) await dropOpenRounds(tx, monitor.id);
  if (isDisabled) {
    await clearDownHistory(tx, monitor.id);
    await popHeldAlerts(tx, [monitor.id]);
  }
  const { id: monitorId, organizationId } = monitor;
  // Missed pings are not failures of a check: applyHeartbeatSettings() decides which of them count.
  if (isCheckChanged && evaluatorState && monitor.checkType !== 'heartbeat') {
    evaluatorState = clearFailures(evaluatorState);
    saveEvaluatorStates(tx, [{ monitorId, organizationId, evaluatorState }]);
  }
  if (!before.enabled && monitor.enabled && evaluatorState) {
    evaluatorState = initialEvaluatorState(now, evaluatorState);
    saveEvaluatorStates(tx, [{ monitorId, organizationId, evaluatorState }]);
    const reasons = { error: '', explanation: 'the monitor was enabled again' };
    events.push(stateChanged(monitor, evaluatorState, reasons));
    insertTransitions(tx, [{ monitorId, organizationId, ...transitionTo(evaluatorState, reasons) }]);
  }
  if (before.configJson !== monitor.configJson) await deleteCertificates(tx, monitor.id);
  evaluatorState = await applyHeartbeatSettings(tx, monitor, evaluatorState, { wasEnabled: before.enabled, now });
  // The event of the update contains the state after the update, and comes before the change of the state.
  await appendEvents(tx, [monitorUpdated(before, monitor, evaluatorState, autoDisabled), ...events], now);
  return { ...view, evaluatorState };
}

/**
 * Schedules an immediate round and the staleness checks of the enabled monitors. Heartbeat monitors have ping deadlines
 * instead.
 */
export function scheduleEnabled(tx: Transaction, monitors: readonly Monitor[], now: Date): void {
  const scheduled = monitors.filter(isScheduled);
  if (scheduled.length === 0) return;
  schedule(tx, scheduled, now);
  watch(tx, scheduled, now);
}

/** Does the same for a monitor that exists already. Removes both if it is disabled or a heartbeat monitor. */
async function putOnSchedule(tx: Transaction, monitor: Monitor, now: Date): Promise<void> {
  if (isScheduled(monitor)) return scheduleEnabled(tx, [monitor], now);
  await unschedule(tx, [monitor.id]);
  await unwatch(tx, [monitor.id]);
}

function isScheduled({ enabled, checkType }: Monitor): boolean {
  return enabled && checkType !== 'heartbeat';
}
