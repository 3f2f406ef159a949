import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import type { Transaction } from '@tocsin/database';
import type { EventMeta } from './event.ts';

/** A consumer's handler for one type of event. */
export interface EventHandler {
  readonly type: string;
  /**
   * Decodes the event. Returns the function that handles it.
   * @throws if the bytes are not a message of this type.
   */
  readonly decode: (payload: Uint8Array) => (meta: EventMeta, tx: Transaction) => Promise<void>;
  /**
   * Decodes and handles events of one organization and of different aggregates in one transaction. If absent, each
   * event has a transaction of its own.
   */
  readonly handleTogether?: (events: readonly EncodedEvent[], tx: Transaction) => Promise<void>;
}

/** An event as it was received. */
export interface EncodedEvent {
  readonly meta: EventMeta;
  readonly payload: Uint8Array;
}

/** A decoded event. */
export interface ReceivedEvent<Schema extends DescMessage> {
  readonly meta: EventMeta;
  readonly message: MessageShape<Schema>;
}

/**
 * Returns a handler that runs `react` once for each event of a type, in the transaction that records the event. After a
 * failure `react` runs again with growing delays, so it must not have effects outside the database.
 */
export function on<Schema extends DescMessage>(
  schema: Schema,
  react: (message: MessageShape<Schema>, meta: EventMeta, tx: Transaction) => Promise<void>,
): EventHandler {
  return {
    type: schema.typeName,
    decode(payload) {
      const message = fromBinary(schema, payload);
      return (meta, tx) => react(message, meta, tx);
    },
  };
}

/**
 * Does the same as on(), for a handler that can handle several events at once, which costs less. The events belong to
 * one organization and to different aggregates. If `react` fails, or one of the events was handled before or is early,
 * the transaction is rolled back, and `react` runs once for each event alone.
 */
export function onTogether<Schema extends DescMessage>(
  schema: Schema,
  react: (events: readonly ReceivedEvent<Schema>[], tx: Transaction) => Promise<void>,
): EventHandler {
  return {
    ...on(schema, (message, meta, tx) => react([{ message, meta }], tx)),
    handleTogether: (events, tx) =>
      react(
        events.map(({ meta, payload }) => ({ meta, message: fromBinary(schema, payload) })),
        tx,
      ),
  };
}
