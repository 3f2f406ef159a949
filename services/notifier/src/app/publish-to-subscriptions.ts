import type { Transaction } from '@tocsin/database';
import type { EventKind } from '@tocsin/enums';
import { v7 } from 'uuid';
import { bodyOf } from '../domain/message.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import { insertMessage, lockSubscribed, type Subscribed } from '../storage/message-store.ts';
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
  return (await lockSubscribed(tx, organizationId, { kind, countUpTo: 0, full: [] })).length > 0;
}

/**
 * Inserts a message with one delivery for each enabled subscription to this kind of event. Runs in the transaction that
 * applies the event. The commit wakes the workers of all replicas.
 */
export async function publishToSubscriptions(
  { now, fullSubscriptions }: Pick<Deps, 'now' | 'fullSubscriptions'>,
  tx: Transaction,
  event: SubscriptionEvent,
): Promise<void> {
  const { organizationId, kind, resourceId } = event;
  const full = fullSubscriptions.of(organizationId);
  const subscribed = await lockSubscribed(tx, organizationId, { kind, countUpTo: MAX_WAITING, full });
  if (subscribed.length === 0) return;
  const isFull = ({ waiting }: Subscribed) => waiting >= MAX_WAITING;
  fullSubscriptions.add(
    organizationId,
    subscribed.filter(isFull).map(({ id }) => id),
  );
  const messageId = v7();
  if (!(await insertMessage(tx, { ...event, id: messageId, body: bodyOf(event) }))) return;
  const deliveries = subscribed.map((subscription) => ({
    id: v7(),
    messageId,
    subscriptionId: subscription.id,
    ...(isFull(subscription)
      ? ({ status: 'dropped', error: `${MAX_WAITING} deliveries were waiting already` } as const)
      : ({ status: 'pending' } as const)),
  }));
  insertDeliveries(tx, { organizationId, resourceId, now: now() }, deliveries);
}
