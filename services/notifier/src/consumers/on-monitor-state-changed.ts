import { timestampDate } from '@bufbuild/protobuf/wkt';
import { stateChange } from '@tocsin/api-json';
import { monitorStates } from '@tocsin/enums';
import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorStateChangedSchema } from '@tocsin/proto/monitor/v1/events';
import type { Deps } from '../app/ports.ts';
import { publishToSubscriptions } from '../app/publish-to-subscriptions.ts';
import { raiseAlert } from '../app/raise-alert.ts';
import { endOutageTimers } from '../app/run-outage-timers.ts';
import { alertKindOf } from '../domain/alert.ts';
import { alertMonitorFromProto, linksFromProto } from '../wire/channel.ts';

/**
 * Publishes every state change of a monitor to subscriptions. Alerts the monitor's channels when it goes down, recovers
 * or has no recent data.
 */
export function onMonitorStateChanged(deps: Deps): EventHandler {
  return on(MonitorStateChangedSchema, async (message, { id: eventId, organizationId, occurredAt }, tx) => {
    const { monitor, enteredAt, previousEnteredAt, error } = message;
    if (!monitor) throw new Error('a change of state names no monitor');
    await publishToSubscriptions(deps, tx, {
      organizationId,
      eventId,
      kind: 'monitor.state_changed',
      resourceId: monitor.id,
      data: stateChange({ ...message, monitor }, deps.baseUrl),
      occurredAt,
    });
    await endOutageTimers(deps, tx, { organizationId, monitorId: monitor.id });
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
  });
}
