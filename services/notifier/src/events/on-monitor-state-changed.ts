import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorStateChangedSchema } from '@tocsin/proto/monitor/v1/events';
import { readConfig } from '../app/check-config.ts';
import type { Deps } from '../app/ports.ts';
import { raiseAlert } from '../app/raise-alert.ts';
import { addressOf, alertKindOf } from '../domain/alert.ts';
import { monitorStateFromProto } from '../rpc/convert.ts';

/** A monitor that goes down, recovers or falls silent alerts its channels. */
export function onMonitorStateChanged(deps: Deps): EventHandler {
  return on(MonitorStateChangedSchema, async (message, { id: eventId, organizationId, occurredAt }, tx) => {
    const { monitor, enteredAt, previousEnteredAt, error } = message;
    if (!monitor) throw new Error('a change of state names no monitor');
    const state = monitorStateFromProto(message.state);
    const kind = state && alertKindOf(monitorStateFromProto(message.previousState), state);
    if (!kind) return;
    const alert = {
      organizationId,
      eventId,
      kind,
      monitor: { id: monitor.id, name: monitor.name, url: addressOf(readConfig(monitor.configJson) ?? {}) },
      at: enteredAt ? timestampDate(enteredAt) : occurredAt,
      downSince: kind === 'monitor_recovered' && previousEnteredAt ? timestampDate(previousEnteredAt) : undefined,
      error,
      occurredAt,
    };
    await raiseAlert(deps, { tx, alert, channelIds: monitor.alertChannelIds });
  });
}
