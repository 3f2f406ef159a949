import type { JsMsg } from '@nats-io/jetstream';

/** An event as a consumer receives it: from the stream, or from its backlog in the database. */
export interface ReceivedMessage
  extends Pick<JsMsg, 'seq' | 'subject' | 'headers' | 'data' | 'ack' | 'nak' | 'term' | 'working'> {
  readonly info: Pick<JsMsg['info'], 'deliveryCount'>;
}

/** Returns the organization of a message; empty if the message is not an event. */
export function organizationOf({ headers }: Pick<ReceivedMessage, 'headers'>): string {
  return headers?.get('Tocsin-Organization') ?? '';
}
