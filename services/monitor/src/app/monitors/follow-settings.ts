import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { startStanding } from '../../domain/rounds/evaluate.ts';
import { transitionTo } from '../../domain/rounds/transition.ts';
import { monitorUpdated, stateChanged } from '../../events/outgoing.ts';
import { forgetTroubles } from '../../storage/auto-disable/auto-disable-store.ts';
import { forgetCertificates } from '../../storage/certificates/certificate-store.ts';
import { takeHeldAlerts } from '../../storage/maintenance/maintenance-store.ts';
import { dropOpenRounds } from '../../storage/rounds/round-store.ts';
import { reschedule } from '../../storage/rounds/schedule-store.ts';
import { unwatch, watch } from '../../storage/rounds/silence-store.ts';
import { saveStandings } from '../../storage/rounds/standing-store.ts';
import { insertTransitions } from '../../storage/rounds/transition-store.ts';
import { keepHeartbeat } from '../heartbeats/keep-heartbeat.ts';
import { viewOf } from './monitor-view.ts';

/**
 * Lets everything that depends on a monitor's settings follow a change that was saved, and appends the facts. Disabling freezes
 * the monitor; enabling starts it again at pending. The caller holds its lock.
 */
export async function followSettings(
  tx: Transaction,
  before: Monitor,
  monitor: Monitor,
  now: Date,
): Promise<MonitorView> {
  let { standing } = await viewOf(tx, monitor);
  const events = [monitorUpdated(monitor, standing)];
  if (before.enabled && !monitor.enabled) {
    await dropOpenRounds(tx, monitor.id);
    await forgetTroubles(tx, monitor.id);
    await takeHeldAlerts(tx, [monitor.id]);
  }
  if (!before.enabled && monitor.enabled && standing) {
    standing = startStanding(now, standing);
    await saveStandings(tx, [{ monitorId: monitor.id, organizationId: monitor.organizationId, standing }]);
    const reasons = { error: '', explanation: 'the monitor was enabled again' };
    const { id: monitorId, organizationId } = monitor;
    events.push(stateChanged(monitor, standing, reasons));
    await insertTransitions(tx, [{ monitorId, organizationId, ...transitionTo(standing, reasons) }]);
  }
  if (before.configJson !== monitor.configJson) await forgetCertificates(tx, monitor.id);
  await keepHeartbeat(tx, monitor, standing, { wasEnabled: before.enabled, now });
  await putOnSchedule(tx, monitor, now);
  await appendEvents(tx, events, now);
  return { monitor, standing };
}

/** An enabled monitor has a round at once, and must be heard of from then on. */
export async function putOnSchedule(tx: Transaction, monitor: Monitor, now: Date): Promise<void> {
  await reschedule(tx, monitor, now);
  // A heartbeat has deadlines of its own.
  if (monitor.enabled && monitor.checkType !== 'heartbeat') await watch(tx, monitor, now);
  else await unwatch(tx, monitor.id);
}
