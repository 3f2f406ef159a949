export { appendEvents, currentTrace, EventTooLargeError } from './append.ts';
export { type ConsumerOptions, createEventSlots, startConsumer } from './consumer.ts';
export { type EventMeta, MAX_EVENT_BYTES, type OutgoingEvent, outgoingEvent } from './event.ts';
export {
  deleteExecutedRequests,
  EXECUTED_REQUESTS_DUE,
  type ExecutedRequest,
  executeOnce,
  type Repeatable,
  recordRequests,
} from './executed-requests.ts';
export { type EventHandler, on, onTogether, type ReceivedEvent } from './handler.ts';
export { eventSubject } from './headers.ts';
export { outboxMigrations } from './migrations.ts';
export { deleteOldPositions, OLD_POSITIONS_EVERY_MS } from './old-positions.ts';
export { type ExportedColumns, listOrganizationRows, type OrganizationRows } from './organization-rows.ts';
export { PublishHealth } from './publish-health.ts';
export { type RelayOptions, startRelay } from './relay.ts';
export {
  advanceOrganizations,
  ORGANIZATIONS_DUE,
  type OrganizationHooks,
  type StoppedState,
  saveStoppedState,
} from './stopped-organizations.ts';
export { EVENT_STREAM, ensureEventStream, ensureStream } from './stream.ts';
export { startStreamMetrics } from './stream-metrics.ts';
