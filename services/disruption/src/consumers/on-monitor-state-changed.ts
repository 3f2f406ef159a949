import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type EventHandler, on } from '@tocsin/outbox';
import { type MonitorStateChanged, MonitorStateChangedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { applyMonitorEvent } from '../app/apply-monitor-event.ts';
import type { Deps } from '../app/ports.ts';
import type { MonitorEvent, MonitorName } from '../domain/monitor-event.ts';

/**
 * Returns a handler that opens a disruption when a monitor goes down, and resolves it when the monitor is no longer
 * down.
 */
export function onMonitorStateChanged(deps: Deps): EventHandler {
  return on(MonitorStateChangedSchema, async (message, { organizationId, occurredAt }, tx) => {
    if (!message.monitor) throw new Error('a change of state names no monitor');
    const at = message.enteredAt ? timestampDate(message.enteredAt) : occurredAt;
    await applyMonitorEvent(deps, { tx, organizationId, event: eventOf(message, message.monitor, at) });
  });
}

function eventOf(change: MonitorStateChanged, { id, name }: MonitorName, at: Date): MonitorEvent {
  const { state, explanation } = change;
  const monitor = { id, name };
  // Events that an earlier version published have no outage id.
  const outageId = change.outageId || undefined;
  if (state === MonitorState.DOWN) return { kind: 'went_down', monitor, at, explanation, outageId };
  return { kind: state === MonitorState.UP ? 'recovered' : 'started_over', monitor, at };
}
