import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { v7 } from 'uuid';

/**
 * Maximum size of an event's message. Well below the limit of NATS (1 MB by default), so that every appended event can
 * be published.
 */
export const MAX_EVENT_BYTES = 256 * 1024;

/** An event that is about to be committed. */
export interface OutgoingEvent {
  readonly id: string;
  /** Full protobuf name; the event's subject is derived from it. */
  readonly type: string;
  readonly organizationId: string;
  /** Events of one aggregate keep their order everywhere. */
  readonly aggregateId: string;
  readonly payload: Uint8Array;
}

/** An event's metadata. */
export interface EventMeta {
  readonly id: string;
  readonly type: string;
  readonly organizationId: string;
  readonly aggregateId: string;
  /** 1 for the aggregate's first event, then without gaps. */
  readonly sequence: number;
  readonly occurredAt: Date;
  /** When the aggregate's event before this one occurred; undefined for its first. */
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
