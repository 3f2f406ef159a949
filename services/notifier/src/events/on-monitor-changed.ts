import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorCreatedSchema, MonitorDeletedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { monitorResource } from '@tocsin/resources';
import type { Deps } from '../app/ports.ts';
import { tellSubscriptions } from '../app/tell-subscriptions.ts';

/** Subscriptions hear of monitors that are created, changed and deleted. */
export function onMonitorChanged(deps: Deps): EventHandler[] {
  const kinds = [
    [MonitorCreatedSchema, 'monitor.created'],
    [MonitorUpdatedSchema, 'monitor.updated'],
    [MonitorDeletedSchema, 'monitor.deleted'],
  ] as const;
  return kinds.map(([schema, kind]) =>
    on(schema, async ({ monitor }, { id: eventId, organizationId, occurredAt }, tx) => {
      if (!monitor) throw new Error(`a fact ${schema.typeName} names no monitor`);
      const data = monitorResource(monitor, deps.baseUrl);
      await tellSubscriptions(deps, tx, { organizationId, eventId, kind, resourceId: monitor.id, data, occurredAt });
    }),
  );
}
