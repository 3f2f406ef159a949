import { notFound } from '@tocsin/errors';
import type { Subscription } from '../domain/subscription.ts';
import { findSubscription, readSealedSecret } from '../storage/subscription-store.ts';
import { type Deps, subscriptionContext } from './ports.ts';

export interface SubscriptionWithSecret {
  readonly subscription: Subscription;
  /** Secret that signs messages. */
  readonly secret: string;
}

/**
 * Returns a subscription and its secret, for the repeat of a request whose response contains the secret.
 * @throws ServiceError `not_found`.
 */
export async function readWithSecret(
  { database, vault }: Pick<Deps, 'database' | 'vault'>,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<SubscriptionWithSecret> {
  return database.transaction({ organizationId }, async (tx) => {
    const subscription = await findSubscription(tx, organizationId, id);
    if (!subscription) throw notFound('webhook');
    const sealedSecret = await readSealedSecret(tx, organizationId, id);
    return { subscription, secret: vault.open(sealedSecret, subscriptionContext(id)) };
  });
}
