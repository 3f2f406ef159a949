import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorDeletedSchema } from '@tocsin/proto/monitor/v1/events';
import { unlinkMonitor } from '../app/monitor-links.ts';

/** No component follows a monitor that is gone. */
export const onMonitorDeleted: EventHandler = on(
  MonitorDeletedSchema,
  async (_, { organizationId, aggregateId, occurredAt }, tx) => {
    await unlinkMonitor(tx, { organizationId, monitorId: aggregateId }, occurredAt);
  },
);
