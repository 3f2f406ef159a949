import { monitorStates } from '@tocsin/enums';
import { type EventHandler, on } from '@tocsin/outbox';
import {
  MonitorCreatedSchema,
  MonitorDeletedSchema,
  MonitorStateChangedSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import { unlinkMonitor } from '../app/monitor-links.ts';
import { recordCondition } from '../app/record-condition.ts';

const changes = [MonitorCreatedSchema, MonitorUpdatedSchema, MonitorStateChangedSchema].map((schema) =>
  on(schema, async ({ monitor }, { organizationId, aggregateId: monitorId, occurredAt }, tx) => {
    if (!monitor) throw new Error('the event has no monitor');
    const { enabled, state } = monitor;
    const condition = { enabled, state: monitorStates.toName(state) };
    await recordCondition(tx, { organizationId, monitorId }, condition, occurredAt);
  }),
);

const deletion = on(MonitorDeletedSchema, async (_, { organizationId, aggregateId, occurredAt }, tx) => {
  await unlinkMonitor(tx, { organizationId, monitorId: aggregateId }, occurredAt);
});

/**
 * Applies monitor events: records the state of each monitor and whether it is enabled, and removes deleted monitors
 * from components.
 */
export const onMonitor: readonly EventHandler[] = [...changes, deletion];
