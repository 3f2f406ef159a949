import type { JsMsg } from '@nats-io/jetstream';
import { NIL } from 'uuid';

/** An event as a consumer receives it: from the stream, or from its backlog in the database. */
export interface ReceivedMessage
  extends Pick<JsMsg, 'seq' | 'subject' | 'headers' | 'data' | 'ack' | 'nak' | 'term' | 'working'> {
  readonly info: Pick<JsMsg['info'], 'deliveryCount'>;
}

/**
 * Returns the tenant with whose events a message waits and takes turns; empty if the message is not an event. This is
 * the organization of the event. The events about organizations themselves, such as that one is stopped, have a tenant
 * of their own (the nil UUID), so that they do not wait for the other events of their organization.
 */
export function tenantOf({ headers }: Pick<ReceivedMessage, 'headers'>): string {
  const organization = headers?.get('Tocsin-Organization') ?? '';
  return organization !== '' && organization === headers?.get('Tocsin-Aggregate') ? NIL : organization;
}
