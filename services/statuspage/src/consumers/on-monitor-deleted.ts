import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorDeletedSchema } from '@tocsin/proto/monitor/v1/events';
import { unlinkMonitor } from '../app/monitor-links.ts';

/** Removes deleted monitors from components. */
export const onMonitorDeleted: EventHandler = on(
  MonitorDeletedSchema,
  async (_, { organizationId, aggregateId, occurredAt }, tx) => {
    await unlinkMonitor(tx, { organizationId, monitorId: aggregateId }, occurredAt);
  },
);
