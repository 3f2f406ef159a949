import type { Transaction } from '@tocsin/database';
import { DISRUPTION_WINDOW_MS, stepOfDisruptions } from '../../domain/auto-disable/auto-disable.ts';
import { addAutomaticDisruption, markWarned } from '../../storage/auto-disable/auto-disable-store.ts';
import { lockMonitor } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';
import { disableMonitor, warnOfDisabling } from './disable-monitor.ts';

export interface AutomaticDisruption {
  readonly organizationId: string;
  readonly monitorId: string;
  readonly disruptionId: string;
  readonly at: Date;
}

/**
 * Counts an automatic disruption of a monitor. Warns the owners if there are many disruptions, and disables the monitor
 * if there are too many. Runs in the transaction that handles the disruption's event.
 */
export async function countDisruption(
  { now: clock }: Deps,
  tx: Transaction,
  { organizationId, monitorId, disruptionId, at }: AutomaticDisruption,
): Promise<void> {
  const now = clock();
  // After a long outage of this service, events may be older than the period in which disruptions count. Such an event
  // must not disable a monitor.
  if (now.getTime() - at.getTime() > DISRUPTION_WINDOW_MS) return;
  const monitor = await lockMonitor(tx, organizationId, monitorId);
  if (!monitor?.enabled) return;
  const since = new Date(at.getTime() - DISRUPTION_WINDOW_MS);
  const opened = await addAutomaticDisruption(tx, monitor, { disruptionId, at, since });
  const { kind, disruptions } = stepOfDisruptions(opened);
  const cause = { reason: 'too_many_disruptions', disruptions } as const;
  if (kind === 'disable') await disableMonitor(tx, monitor, cause, now);
  if (kind !== 'warn') return;
  await markWarned(tx, disruptionId);
  await warnOfDisabling(tx, monitor, cause, now);
}
