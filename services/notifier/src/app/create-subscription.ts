import { requireWithinLimit } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Subscription } from '../domain/subscription.ts';
import { insertSubscription, SUBSCRIPTION_ROWS } from '../storage/subscription-store.ts';
import { checkSubscription } from './check-subscription.ts';
import { createSecret } from './create-secret.ts';
import { type Deps, subscriptionContext } from './ports.ts';

export interface NewSubscription {
  readonly organizationId: string;
  /** Maximum number of subscriptions of the organization. */
  readonly limit: number;
  readonly url: string;
  readonly events: readonly string[];
  /** Defaults to true. */
  readonly enabled?: boolean | undefined;
}

/**
 * Creates a subscription and returns it with its secret. The secret can not be read later.
 * @throws ServiceError `invalid` that names all invalid fields.
 */
export async function createSubscription(
  deps: Deps,
  { organizationId, limit, url, events: names, enabled = true }: NewSubscription,
): Promise<{ subscription: Subscription; secret: string }> {
  const { events = [] } = await checkSubscription(deps, { url, events: names });
  const id = v7();
  const now = deps.now();
  const times = { createdAt: now, updatedAt: now };
  const subscription = { id, organizationId, url, events, enabled, disabled: undefined, revision: 1, ...times };
  const secret = createSecret();
  const sealedSecret = deps.vault.seal(secret, subscriptionContext(id));
  await deps.database.transaction({ organizationId }, async (tx) => {
    await insertSubscription(tx, subscription, sealedSecret);
    await requireWithinLimit(tx, organizationId, SUBSCRIPTION_ROWS, limit);
  });
  return { subscription, secret };
}
