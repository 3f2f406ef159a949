import { monitorStates } from '@tocsin/enums';
import { type EventHandler, type EventMeta, on, onTogether } from '@tocsin/outbox';
import {
  MonitorCreatedSchema,
  MonitorDeletedSchema,
  MonitorStateChangedSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import type { Monitor } from '@tocsin/proto/monitor/v1/monitor';
import { unlinkMonitor } from '../app/monitor-links.ts';
import { type ConditionChange, recordConditions } from '../app/record-condition.ts';

const settings = [MonitorCreatedSchema, MonitorUpdatedSchema].map((schema) =>
  onTogether(schema, async (events, tx) => {
    const [first] = events;
    if (!first) return;
    const changes = events.map(({ message, meta }) => changeOf(message.monitor, meta));
    await recordConditions(tx, first.meta.organizationId, changes);
  }),
);

const stateChange = on(MonitorStateChangedSchema, async ({ monitor }, meta, tx) => {
  await recordConditions(tx, meta.organizationId, [changeOf(monitor, meta)]);
});

const deletion = on(MonitorDeletedSchema, async (_, { organizationId, aggregateId, occurredAt }, tx) => {
  await unlinkMonitor(tx, { organizationId, monitorId: aggregateId }, occurredAt);
});

/**
 * Applies monitor events: records the state of each monitor and whether it is enabled, and removes deleted monitors
 * from components.
 */
export const onMonitor: readonly EventHandler[] = [...settings, stateChange, deletion];

/** Returns the condition in an event. */
function changeOf(monitor: Monitor | undefined, { aggregateId, occurredAt }: EventMeta): ConditionChange {
  if (!monitor) throw new Error('the event has no monitor');
  const { enabled, state } = monitor;
  return { monitorId: aggregateId, condition: { enabled, state: monitorStates.toName(state) }, at: occurredAt };
}
