import type { Transaction } from '@tocsin/database';
import type { EventKind } from '@tocsin/enums';
import { v7 } from 'uuid';
import { bodyOf } from '../domain/message.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import { insertMessage, lockSubscribed } from '../storage/message-store.ts';
import type { Deps } from './ports.ts';

/**
 * Maximum number of waiting deliveries of a subscription. Further deliveries are recorded but not sent automatically.
 */
export const MAX_WAITING = 1_000;

/** Event to publish to the subscriptions of its organization. */
export interface SubscriptionEvent {
  readonly organizationId: string;
  readonly eventId: string;
  readonly kind: EventKind;
  /** Id of the monitor or disruption. Deliveries about the same resource are sent in order. */
  readonly resourceId: string;
  /** JSON of the resource in the API's format. */
  readonly data: object;
  readonly occurredAt: Date;
}

/** Returns whether the organization has an enabled subscription to this kind of event. */
export async function hasSubscriptions(tx: Transaction, organizationId: string, kind: EventKind): Promise<boolean> {
  return (await lockSubscribed(tx, organizationId, { kind, countUpTo: 0 })).length > 0;
}

/**
 * Inserts a message with one delivery for each enabled subscription to this kind of event. Runs in the transaction that
 * applies the event. The commit wakes the workers of all replicas.
 */
export async function publishToSubscriptions(
  { now }: Pick<Deps, 'now'>,
  tx: Transaction,
  event: SubscriptionEvent,
): Promise<void> {
  const { organizationId, kind, resourceId } = event;
  const subscribed = await lockSubscribed(tx, organizationId, { kind, countUpTo: MAX_WAITING });
  if (subscribed.length === 0) return;
  const messageId = v7();
  if (!(await insertMessage(tx, { ...event, id: messageId, body: bodyOf(event) }))) return;
  const deliveries = subscribed.map(({ id: subscriptionId, waiting }) => ({
    id: v7(),
    messageId,
    subscriptionId,
    ...(waiting < MAX_WAITING
      ? ({ status: 'pending' } as const)
      : ({ status: 'dropped', error: `${MAX_WAITING} deliveries were waiting already` } as const)),
  }));
  insertDeliveries(tx, { organizationId, resourceId, now: now() }, deliveries);
}
