import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { applyMonitorEvent } from '../app/apply-monitor-event.ts';
import type { Deps } from '../app/ports.ts';

/** Resolves the disruption of a disabled monitor. */
export function onMonitorUpdated(deps: Deps): EventHandler {
  return on(MonitorUpdatedSchema, async ({ monitor }, { organizationId, occurredAt }, tx) => {
    if (!monitor) throw new Error('an update names no monitor');
    if (monitor.enabled) return;
    const event = { kind: 'disabled', monitor: { id: monitor.id, name: monitor.name }, at: occurredAt } as const;
    await applyMonitorEvent(deps, { tx, organizationId, event });
  });
}
