import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorDeletedSchema } from '@tocsin/proto/monitor/v1/events';
import { applyMonitorEvent } from '../app/apply-monitor-event.ts';
import type { Deps } from '../app/ports.ts';

/** A monitor that is gone leaves no disruption open. */
export function onMonitorDeleted(deps: Deps): EventHandler {
  return on(MonitorDeletedSchema, async ({ monitor }, { organizationId, occurredAt }, tx) => {
    if (!monitor) throw new Error('a deletion names no monitor');
    const fact = { kind: 'deleted', monitor: { id: monitor.id, name: monitor.name }, at: occurredAt } as const;
    await applyMonitorEvent(deps, { tx, organizationId, fact });
  });
}
