import { openDatabase } from '@tocsin/database';
import { appendEvents, outboxMigrations, outgoingEvent, startRelay } from '@tocsin/outbox';
import { DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { connectNats, createRuntime } from '@tocsin/runtime';
import { testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';

/** Starts an outbox that publishes the events of the disruption and statuspage services. */
export async function disruptionEvents(natsUrl: string, now: () => Date) {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await testDatabase('disruption'));
  const runtime = createRuntime('disruption', { logLevel: 'error' });
  const database = stack.use(await openDatabase({ url, entities: [], migrations: outboxMigrations }));
  const nats = stack.use(await connectNats(natsUrl, runtime)).connection;
  stack.use(startRelay({ databaseUrl: url, nats, runtime }));
  const running = stack.move();
  return {
    /** Publishes the event for an opened disruption. */
    async opened(organizationId: string, monitorId: string, autoCreated = true): Promise<void> {
      const id = v7();
      const disruption = { id, organizationId, autoCreated, monitorId };
      const event = outgoingEvent(DisruptionCreatedSchema, { disruption }, { organizationId, aggregateId: id });
      await database.transaction('every organization', (tx) => appendEvents(tx, [event], now()));
    },
    /** Publishes the event for a change to a status page of an organization. */
    async pageChanged(organizationId: string): Promise<void> {
      const statusPageId = v7();
      const event = outgoingEvent(PageUpdatedSchema, { statusPageId }, { organizationId, aggregateId: statusPageId });
      await database.transaction('every organization', (tx) => appendEvents(tx, [event], now()));
    },
    /** Returns functions that publish the events of a maintenance that affects these components. */
    maintenance(organizationId: string, componentIds: readonly string[]) {
      const id = v7();
      const tell = async (
        schema: typeof DisruptionCreatedSchema | typeof DisruptionUpdatedSchema | typeof DisruptionDeletedSchema,
        status: DisruptionStatus,
      ) => {
        const type = DisruptionType.MAINTENANCE;
        const disruption = { id, organizationId, type, status, affectedComponents: componentIds.map((id) => ({ id })) };
        const event = outgoingEvent<typeof schema>(schema, { disruption }, { organizationId, aggregateId: id });
        await database.transaction('every organization', (tx) => appendEvents(tx, [event], now()));
      };
      return {
        announce: () => tell(DisruptionCreatedSchema, DisruptionStatus.SCHEDULED),
        begin: () => tell(DisruptionUpdatedSchema, DisruptionStatus.IN_PROGRESS),
        complete: () => tell(DisruptionUpdatedSchema, DisruptionStatus.COMPLETED),
        remove: () => tell(DisruptionDeletedSchema, DisruptionStatus.IN_PROGRESS),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
