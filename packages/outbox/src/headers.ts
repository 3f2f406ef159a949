import { headers as createHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { isId } from '@tocsin/text';
import type { EventMeta } from './event.ts';

/** Subject wildcard that matches all events. */
export const EVENT_SUBJECTS = 'event.>';

/**
 * Type of the empty event that is published instead of an event that can't be published. No consumer has a handler for
 * this type.
 */
export const UNPUBLISHABLE_TYPE = 'tocsin.Unpublishable';

/** Returns the subject of a type. For `package.*`, returns the subject of all types of the package. */
export function eventSubject(typeName: string): string {
  return `event.${typeName}`;
}

export function headersOf(meta: EventMeta, trace: string): MsgHdrs {
  const headers = createHeaders();
  headers.set('Nats-Msg-Id', meta.id);
  headers.set('Tocsin-Type', meta.type);
  headers.set('Tocsin-Organization', meta.organizationId);
  headers.set('Tocsin-Aggregate', meta.aggregateId);
  headers.set('Tocsin-Sequence', String(meta.sequence));
  headers.set('Tocsin-Occurred-At', meta.occurredAt.toISOString());
  if (meta.previousAt) headers.set('Tocsin-Previous-At', meta.previousAt.toISOString());
  if (trace) headers.set('traceparent', trace);
  return headers;
}

/** Returns the metadata of an event from its headers; undefined if the message is not an event. */
export function metaOf(headers: MsgHdrs | undefined): EventMeta | undefined {
  const text = (name: string) => headers?.get(name) ?? '';
  const date = (name: string) => {
    const value = new Date(text(name));
    return Number.isNaN(value.getTime()) ? undefined : value;
  };
  const sequence = Number(text('Tocsin-Sequence'));
  const occurredAt = date('Tocsin-Occurred-At');
  const meta = {
    id: text('Nats-Msg-Id'),
    type: text('Tocsin-Type'),
    organizationId: text('Tocsin-Organization'),
    aggregateId: text('Tocsin-Aggregate'),
  };
  const ids = [meta.id, meta.organizationId, meta.aggregateId];
  if (!ids.every(isId) || meta.type === '') return undefined;
  if (!occurredAt || !Number.isSafeInteger(sequence) || sequence < 1) return undefined;
  return { ...meta, sequence, occurredAt, previousAt: date('Tocsin-Previous-At') };
}
