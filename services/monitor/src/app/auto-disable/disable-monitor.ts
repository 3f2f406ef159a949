import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import type { DisableCause } from '../../domain/auto-disable/auto-disable.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { autoDisabled, disableWarning } from '../../events/outgoing.ts';
import { saveMonitor } from '../../storage/monitors/monitor-store.ts';
import { applySettings } from '../monitors/apply-settings.ts';
import { viewOf } from '../monitors/monitor-view.ts';

/**
 * Disables a monitor, with the same effects as an update, and publishes the reason (docs/states.md). The caller has
 * locked the monitor.
 */
export async function disableMonitor(tx: Transaction, monitor: Monitor, cause: DisableCause, now: Date): Promise<void> {
  const disabled = { ...monitor, enabled: false, version: monitor.version + 1, updatedAt: now };
  await saveMonitor(tx, disabled);
  const { evaluatorState } = await applySettings(tx, monitor, disabled, now, { autoDisabled: cause });
  await appendEvents(tx, [autoDisabled(disabled, evaluatorState, cause)], now);
}

/**
 * Publishes a warning that a monitor will be disabled. If `disableAt` is present, the monitor will be disabled at this
 * time. Otherwise, it will be disabled if more disruptions open.
 */
export async function warnOfDisabling(
  tx: Transaction,
  monitor: Monitor,
  cause: DisableCause & { readonly disableAt?: Date },
  now: Date,
): Promise<void> {
  const { evaluatorState } = await viewOf(tx, monitor);
  await appendEvents(tx, [disableWarning(monitor, evaluatorState, cause)], now);
}
