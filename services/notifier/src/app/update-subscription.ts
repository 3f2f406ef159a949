import { notFound } from '@tocsin/errors';
import { changeSubscription, type Subscription } from '../domain/subscription.ts';
import { dropWaiting } from '../storage/delivery-store.ts';
import { lockSubscription, saveSubscription } from '../storage/subscription-store.ts';
import { checkSubscription } from './check-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import type { Deps } from './ports.ts';

/** Changes to a subscription. Absent fields stay unchanged. */
export interface SubscriptionUpdate {
  readonly organizationId: string;
  readonly id: string;
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  /** If false, waiting deliveries are dropped. */
  readonly enabled?: boolean | undefined;
}

/**
 * Updates the given fields.
 * @throws ServiceError `not_found`, or `invalid` that names all invalid fields.
 */
export async function updateSubscription(
  deps: Deps,
  { organizationId, id, url, events: names, enabled }: SubscriptionUpdate,
): Promise<Subscription> {
  // Check before any row is locked, because resolving the host is slow.
  await getSubscription(deps, { organizationId, id });
  const { events } = await checkSubscription(deps, { url, events: names });
  return deps.database.transaction({ organizationId }, async (tx) => {
    const before = await lockSubscription(tx, organizationId, id);
    if (!before) throw notFound('webhook');
    const now = deps.now();
    const subscription = changeSubscription(before, { url, events, enabled }, now);
    await saveSubscription(tx, subscription);
    if (before.enabled && !subscription.enabled) {
      await dropWaiting(tx, { subscriptionId: id, organizationId }, { error: 'the subscription is disabled', now });
    }
    return subscription;
  });
}
