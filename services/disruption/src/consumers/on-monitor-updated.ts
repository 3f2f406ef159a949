import { type EventHandler, on } from '@tocsin/outbox';
import { DisableReason, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { applyMonitorEvent } from '../app/apply-monitor-event.ts';
import type { Deps } from '../app/ports.ts';
import type { AutoDisabled, MonitorEvent } from '../domain/monitor-event.ts';

const REASONS: ReadonlyMap<DisableReason, AutoDisabled['reason']> = new Map([
  [DisableReason.DOWN_TOO_LONG, 'down_too_long'],
  [DisableReason.TOO_MANY_DISRUPTIONS, 'too_many_disruptions'],
]);

/**
 * Returns a handler for changes that disable a monitor. If a person disables the monitor, its disruption is resolved.
 * If the system disables it, the disruption stays open and gets an entry that says so. Other changes to a disabled
 * monitor have no effect.
 */
export function onMonitorUpdated(deps: Deps): EventHandler {
  return on(
    MonitorUpdatedSchema,
    async ({ monitor, autoDisabled, wasDisabled }, { organizationId, occurredAt }, tx) => {
      if (!monitor) throw new Error('an update names no monitor');
      if (monitor.enabled || wasDisabled) return;
      const about = { monitor: { id: monitor.id, name: monitor.name }, at: occurredAt };
      const reason = REASONS.get(autoDisabled);
      const event: MonitorEvent = reason ? { kind: 'auto_disabled', reason, ...about } : { kind: 'disabled', ...about };
      await applyMonitorEvent(deps, { tx, organizationId, event });
    },
  );
}
