import { monitorResource } from '@tocsin/api-json';
import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorCreatedSchema, MonitorDeletedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { applyMonitorChannels } from '../app/apply-monitor-channels.ts';
import { closeIncidents } from '../app/close-incidents.ts';
import type { Deps } from '../app/ports.ts';
import { publishToSubscriptions } from '../app/publish-to-subscriptions.ts';
import { endOutageTimers } from '../app/run-outage-timers.ts';
import { withFallbacks } from '../app/with-fallbacks.ts';

/** Publishes created, changed and deleted monitors to subscriptions, and records the channels of each monitor. */
export function onMonitorChanged(deps: Deps): EventHandler[] {
  const kinds = [
    [MonitorCreatedSchema, 'monitor.created'],
    [MonitorUpdatedSchema, 'monitor.updated'],
    [MonitorDeletedSchema, 'monitor.deleted'],
  ] as const;
  return kinds.map(([schema, kind]) =>
    on(schema, async ({ monitor }, { id: eventId, organizationId, occurredAt }, tx) => {
      if (!monitor) throw new Error(`event ${schema.typeName} has no monitor`);
      await applyMonitorChannels(tx, {
        organizationId,
        monitorId: monitor.id,
        name: monitor.name,
        at: occurredAt,
        channelIds: kind === 'monitor.deleted' ? 'gone' : monitor.alertChannelIds,
      });
      const isWatched = kind !== 'monitor.deleted' && monitor.enabled;
      const exceptChannelIds = isWatched ? await withFallbacks(tx, organizationId, monitor.alertChannelIds) : [];
      const watched = { organizationId, monitorId: monitor.id, exceptChannelIds };
      await closeIncidents(deps, tx, watched);
      await endOutageTimers(deps, tx, watched);
      const data = monitorResource(monitor, deps.baseUrl);
      await publishToSubscriptions(deps, tx, {
        organizationId,
        eventId,
        kind,
        resourceId: monitor.id,
        data,
        occurredAt,
      });
    }),
  );
}
