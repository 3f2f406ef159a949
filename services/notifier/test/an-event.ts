import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import { DisruptionStatus } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import {
  MonitorCreatedSchema,
  MonitorDeletedSchema,
  MonitorStateChangedSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import { CheckType, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { v7 } from 'uuid';

const at = timestampFromDate(new Date('2026-01-01T10:00:00Z'));

/** Returns functions that create the events of a monitor. */
export function eventsOfMonitor(organizationId: string, name = 'Shop') {
  const id = v7();
  const about = { organizationId, aggregateId: id };
  const monitor = {
    id,
    organizationId,
    name,
    checkType: CheckType.HTTP,
    enabled: true,
    state: MonitorState.UP,
    configJson: '{"url":"https://shop.example.com/"}',
    createdAt: at,
    updatedAt: at,
  };
  return {
    id,
    created: (): OutgoingEvent => outgoingEvent(MonitorCreatedSchema, { monitor }, about),
    updated: (newName = name): OutgoingEvent =>
      outgoingEvent(MonitorUpdatedSchema, { monitor: { ...monitor, name: newName } }, about),
    deleted: (): OutgoingEvent => outgoingEvent(MonitorDeletedSchema, { monitor }, about),
    wentDown: (error: string): OutgoingEvent =>
      outgoingEvent(
        MonitorStateChangedSchema,
        { monitor, previousState: MonitorState.UP, state: MonitorState.DOWN, enteredAt: at, error },
        about,
      ),
  };
}

/** Returns functions that create the events of a disruption. */
export function eventsOfDisruption(organizationId: string) {
  const id = v7();
  const about = { organizationId, aggregateId: id };
  const disruption = { id, organizationId, title: 'Shop is down', startedAt: at, createdAt: at, updatedAt: at };
  return {
    id,
    created: (): OutgoingEvent => outgoingEvent(DisruptionCreatedSchema, { disruption }, about),
    /** A disruption that was already resolved when it was recorded. */
    recorded: (): OutgoingEvent =>
      outgoingEvent(
        DisruptionCreatedSchema,
        { disruption: { ...disruption, status: DisruptionStatus.RESOLVED, resolvedAt: at } },
        about,
      ),
    updated: (silent = false): OutgoingEvent => outgoingEvent(DisruptionUpdatedSchema, { disruption, silent }, about),
    resolved: (): OutgoingEvent => outgoingEvent(DisruptionResolvedSchema, { disruption }, about),
  };
}
