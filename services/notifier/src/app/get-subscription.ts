import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Subscription } from '../domain/subscription.ts';
import { findSubscription } from '../storage/subscription-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns a subscription.
 * @throws ServiceError `not_found`, including for a subscription of another organization.
 */
export async function getSubscription(
  { database }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Subscription> {
  if (!isId(id)) throw notFound('webhook');
  const subscription = await database.transaction({ organizationId }, (tx) => findSubscription(tx, organizationId, id));
  if (!subscription) throw notFound('webhook');
  return subscription;
}
