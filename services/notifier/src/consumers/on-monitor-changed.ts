import { monitorResource } from '@tocsin/api-json';
import { type EventHandler, type EventMeta, on, onTogether } from '@tocsin/outbox';
import { MonitorCreatedSchema, MonitorDeletedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import type { Monitor } from '@tocsin/proto/monitor/v1/monitor';
import { applyMonitorChannels, forgetMonitorChannels, type WatchedMonitor } from '../app/apply-monitor-channels.ts';
import { closeIncidents } from '../app/close-incidents.ts';
import type { Deps } from '../app/ports.ts';
import { hasSubscriptions, publishToSubscriptions, type SubscriptionEvent } from '../app/publish-to-subscriptions.ts';
import { endOutageTimers } from '../app/run-outage-timers.ts';
import { withFallbacks } from '../app/with-fallbacks.ts';

/** Publishes created, changed and deleted monitors to subscriptions, and records the channels of each monitor. */
export function onMonitorChanged(deps: Deps): EventHandler[] {
  return [onCreated(deps), ...onUpdatedOrDeleted(deps)];
}

/** A new monitor has no incidents and no outage timers. */
function onCreated(deps: Deps): EventHandler {
  return onTogether(MonitorCreatedSchema, async (events, tx) => {
    const created = events.map(({ message, meta }) => ({ monitor: present(message.monitor), meta }));
    const [{ organizationId } = { organizationId: '' }] = created.map(({ meta }) => meta);
    applyMonitorChannels(
      tx,
      organizationId,
      created.map(({ monitor, meta }) => watchedMonitor(monitor, meta)),
    );
    if (!(await hasSubscriptions(tx, organizationId, 'monitor.created'))) return;
    for (const { monitor, meta } of created) {
      await publishToSubscriptions(deps, tx, publication(deps, 'monitor.created', monitor, meta));
    }
  });
}

function onUpdatedOrDeleted(deps: Deps): EventHandler[] {
  const kinds = [
    [MonitorUpdatedSchema, 'monitor.updated'],
    [MonitorDeletedSchema, 'monitor.deleted'],
  ] as const;
  return kinds.map(([schema, kind]) =>
    on(schema, async (message, meta, tx) => {
      const monitor = present(message.monitor);
      const { organizationId } = meta;
      if (kind === 'monitor.deleted') await forgetMonitorChannels(tx, { organizationId, monitorId: monitor.id });
      else applyMonitorChannels(tx, organizationId, [watchedMonitor(monitor, meta)]);
      const isWatched = kind !== 'monitor.deleted' && monitor.enabled;
      const exceptChannelIds = isWatched ? await withFallbacks(tx, organizationId, monitor.alertChannelIds) : [];
      const watched = { organizationId, monitorId: monitor.id, exceptChannelIds };
      await closeIncidents(deps, tx, watched);
      endOutageTimers(deps, tx, watched);
      await publishToSubscriptions(deps, tx, publication(deps, kind, monitor, meta));
    }),
  );
}

function present(monitor: Monitor | undefined): Monitor {
  if (!monitor) throw new Error('the event has no monitor');
  return monitor;
}

function watchedMonitor({ id, name, alertChannelIds }: Monitor, { occurredAt: at }: EventMeta): WatchedMonitor {
  return { monitorId: id, name, channelIds: alertChannelIds, at };
}

function publication(
  { baseUrl }: Deps,
  kind: SubscriptionEvent['kind'],
  monitor: Monitor,
  { id: eventId, organizationId, occurredAt }: EventMeta,
): SubscriptionEvent {
  const data = monitorResource(monitor, baseUrl);
  return { organizationId, eventId, kind, resourceId: monitor.id, data, occurredAt };
}
