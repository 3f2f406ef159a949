import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { removeSubscription } from '../storage/subscription-store.ts';
import type { Deps } from './ports.ts';

/**
 * Deletes a subscription with its deliveries.
 * @throws ServiceError `not_found`.
 */
export async function deleteSubscription(
  { database }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  if (!isId(id)) throw notFound('webhook');
  const removed = await database.transaction({ organizationId }, (tx) => removeSubscription(tx, organizationId, id));
  if (!removed) throw notFound('webhook');
}
