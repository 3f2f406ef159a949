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
