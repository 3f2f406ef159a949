import { timestampDate } from '@bufbuild/protobuf/wkt';
import { stateChange } from '@tocsin/api-json';
import type { Transaction } from '@tocsin/database';
import { monitorStates } from '@tocsin/enums';
import { type EventHandler, type EventMeta, on } from '@tocsin/outbox';
import { type MonitorStateChanged, MonitorStateChangedSchema } from '@tocsin/proto/monitor/v1/events';
import type { Monitor } from '@tocsin/proto/monitor/v1/monitor';
import type { Deps } from '../app/ports.ts';
import { publishToSubscriptions } from '../app/publish-to-subscriptions.ts';
import { type AlertDeps, raiseAlert } from '../app/raise-alert.ts';
import { endOutageTimers } from '../app/run-outage-timers.ts';
import { alertKindOf } from '../domain/alert.ts';
import { alertMonitorFromProto, linksFromProto } from '../wire/channel.ts';

/**
 * Publishes every state change of a monitor to subscriptions. Alerts the monitor's channels when it goes down, recovers
 * or has no recent data.
 */
export function onMonitorStateChanged(deps: AlertDeps & Pick<Deps, 'baseUrl' | 'fullSubscriptions'>): EventHandler {
  return on(MonitorStateChangedSchema, async (message, meta, tx) => {
    const { id: eventId, organizationId, occurredAt } = meta;
    const { monitor } = message;
    if (!monitor) throw new Error('a change of state names no monitor');
    const published = {
      organizationId,
      eventId,
      kind: 'monitor.state_changed',
      resourceId: monitor.id,
      data: stateChange({ ...message, monitor }, deps.baseUrl),
      occurredAt,
    } as const;
    // The statements of both are sent together, so that the alert does not wait for the subscriptions.
    await Promise.all([
      publishToSubscriptions(deps, tx, published),
      alertChannels(deps, tx, { ...message, monitor }, meta),
    ]);
  });
}

async function alertChannels(
  deps: AlertDeps,
  tx: Transaction,
  message: MonitorStateChanged & { readonly monitor: Monitor },
  { id: eventId, organizationId, occurredAt }: EventMeta,
): Promise<void> {
  const { monitor, enteredAt, previousEnteredAt, error } = message;
  endOutageTimers(deps, tx, { organizationId, monitorId: monitor.id });
  if (message.underMaintenance) return;
  const state = monitorStates.findName(message.state);
  const previous = monitorStates.findName(message.previousState);
  const kind = state && alertKindOf(previous, state);
  if (!kind) return;
  const wasDown = previous === 'down' && state === 'up';
  const alert = {
    organizationId,
    eventId,
    kind,
    monitor: alertMonitorFromProto(monitor),
    at: enteredAt ? timestampDate(enteredAt) : occurredAt,
    downSince: wasDown && previousEnteredAt ? timestampDate(previousEnteredAt) : undefined,
    error,
    occurredAt,
    disruptionId: message.outageId || undefined,
  };
  await raiseAlert(deps, { tx, alert, links: linksFromProto(monitor) });
}
