import { timestampDate } from '@bufbuild/protobuf/wkt';
import { monitorStates } from '@tocsin/enums';
import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorAlertDueSchema } from '@tocsin/proto/monitor/v1/events';
import type { Deps } from '../app/ports.ts';
import { raiseAlert } from '../app/raise-alert.ts';
import { alertKindOf } from '../domain/alert.ts';
import { alertMonitorFromProto, linksFromProto } from '../wire/channel.ts';

/**
 * Alerts a monitor's channels after a maintenance if the monitor went down during the maintenance and is still down.
 */
export function onMonitorAlertDue(deps: Deps): EventHandler {
  return on(MonitorAlertDueSchema, async (message, { id: eventId, organizationId, occurredAt }, tx) => {
    const { monitor, enteredAt, error } = message;
    if (!monitor) throw new Error('an alert that is due names no monitor');
    const state = monitorStates.findName(message.state);
    const kind = state && alertKindOf(undefined, state);
    if (!kind) return;
    const alert = {
      organizationId,
      eventId,
      kind,
      error,
      occurredAt,
      monitor: alertMonitorFromProto(monitor),
      at: enteredAt ? timestampDate(enteredAt) : occurredAt,
      downSince: undefined,
      disruptionId: message.outageId || undefined,
    };
    await raiseAlert(deps, { tx, alert, links: linksFromProto(monitor) });
  });
}
