import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { v7 } from 'uuid';

/**
 * Maximum size of an event's message, in bytes. The limit of NATS is larger (1 MB by default), so every appended event
 * can be published.
 */
export const MAX_EVENT_BYTES = 256 * 1024;

/** An event that is about to be committed. */
export interface OutgoingEvent {
  readonly id: string;
  /** Full protobuf name, from which the event's subject is derived. */
  readonly type: string;
  readonly organizationId: string;
  /** Id of the aggregate. Events of one aggregate are published and consumed in order. */
  readonly aggregateId: string;
  readonly payload: Uint8Array;
  /** Trace of the event if it differs from that of the transaction: see currentTrace(). */
  readonly trace?: string | undefined;
}

/** An event's metadata. */
export interface EventMeta {
  readonly id: string;
  readonly type: string;
  readonly organizationId: string;
  readonly aggregateId: string;
  /** Number of the event in its aggregate, from 1 without gaps. */
  readonly sequence: number;
  readonly occurredAt: Date;
  /** Time of the aggregate's previous event; undefined for the first event. */
  readonly previousAt: Date | undefined;
}

/** Returns an event of `aggregateId` with a new id and the encoded message. */
export function outgoingEvent<Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
  about: { organizationId: string; aggregateId: string },
): OutgoingEvent {
  return { id: v7(), type: schema.typeName, ...about, payload: toBinary(schema, create(schema, message)) };
}
