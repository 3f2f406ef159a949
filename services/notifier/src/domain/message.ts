import type { EventKind } from '@tocsin/enums';
import { formatTime } from './notice.ts';

/** An event in the format in which webhook subscriptions receive it. */
export interface Message {
  readonly id: string;
  readonly organizationId: string;
  /** Id of the event that caused the message. If the event is redelivered, it does not cause a second message. */
  readonly eventId: string;
  readonly kind: EventKind | 'webhook.test';
  /** Body of the request, identical for all attempts. */
  readonly body: string;
  /** Time at which the event was committed at its source. */
  readonly occurredAt: Date;
}

/** Returns the body of a message in the format that Standard Webhooks recommends. */
export function bodyOf({ kind, data, occurredAt }: Pick<Message, 'kind' | 'occurredAt'> & { data: object }): string {
  return JSON.stringify({ type: kind, timestamp: formatTime(occurredAt), data });
}

/** Returns the body of a test message. A test message is not about a resource. */
export function testBody(subscriptionId: string, now: Date): string {
  return bodyOf({ kind: 'webhook.test', data: { webhook_id: subscriptionId }, occurredAt: now });
}
