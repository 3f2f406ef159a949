import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorDeletedSchema } from '@tocsin/proto/monitor/v1/events';
import { applyMonitorEvent } from '../app/apply-monitor-event.ts';
import type { Deps } from '../app/ports.ts';

/** Returns a handler that resolves the open disruption of a deleted monitor. */
export function onMonitorDeleted(deps: Deps): EventHandler {
  return on(MonitorDeletedSchema, async ({ monitor }, { organizationId, occurredAt }, tx) => {
    if (!monitor) throw new Error('a deletion names no monitor');
    const event = { kind: 'deleted', monitor: { id: monitor.id, name: monitor.name }, at: occurredAt } as const;
    await applyMonitorEvent(deps, { tx, organizationId, event });
  });
}
