import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import type { Transaction } from '@tocsin/database';
import type { EventMeta } from './event.ts';

/** What a consumer does about one type of fact. */
export interface EventHandler {
  readonly type: string;
  /** Decodes the fact. @throws when the bytes are not a message of this type. */
  readonly decode: (payload: Uint8Array) => (meta: EventMeta, tx: Transaction) => Promise<void>;
}

/**
 * Does `react` about every fact of a type, once, inside the transaction that remembers that the fact was had. May run
 * again after a failure, so it changes nothing but the database; what it throws is tried again, later and later.
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
