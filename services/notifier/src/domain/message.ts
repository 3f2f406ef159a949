import type { EventKind } from '@tocsin/enums';
import { formatTime } from './notice.ts';

/** An event as subscriptions receive it. */
export interface Message {
  readonly id: string;
  readonly organizationId: string;
  /** The event behind it; an event that is delivered again makes no second message. */
  readonly eventId: string;
  readonly kind: EventKind | 'webhook.test';
  /** What is sent, to the byte, however often. */
  readonly body: string;
  /** When the event was committed at its source. */
  readonly occurredAt: Date;
}

/** The body of a message, as Standard Webhooks recommends it. */
export function bodyOf({ kind, data, occurredAt }: Pick<Message, 'kind' | 'occurredAt'> & { data: object }): string {
  return JSON.stringify({ type: kind, timestamp: formatTime(occurredAt), data });
}

/** The body of a test, which is about no resource. */
export function testBody(subscriptionId: string, now: Date): string {
  return bodyOf({ kind: 'webhook.test', data: { webhook_id: subscriptionId }, occurredAt: now });
}
