import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { v7 } from 'uuid';

/** A fact that is about to be committed. */
export interface OutgoingEvent {
  readonly id: string;
  /** Full protobuf name, which is also the subject it is published on. */
  readonly type: string;
  readonly organizationId: string;
  /** Facts of one aggregate keep their order everywhere. */
  readonly aggregateId: string;
  readonly payload: Uint8Array;
}

/** What is known of a fact beside its message. */
export interface EventMeta {
  readonly id: string;
  readonly type: string;
  readonly organizationId: string;
  readonly aggregateId: string;
  /** 1 for the aggregate's first fact, then without gaps. */
  readonly sequence: number;
  readonly occurredAt: Date;
  /** When the aggregate's fact before this one occurred; undefined for its first. */
  readonly previousAt: Date | undefined;
}

/** A fact of `aggregateId`, in the words of its schema. */
export function outgoingEvent<Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
  about: { organizationId: string; aggregateId: string },
): OutgoingEvent {
  return { id: v7(), type: schema.typeName, ...about, payload: toBinary(schema, create(schema, message)) };
}
