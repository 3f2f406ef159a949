import { requireWithinLimit } from '@tocsin/database';
import { executeOnce, type Repeatable, recordRequests } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { insertSubscription, SUBSCRIPTION_ROWS } from '../storage/subscription-store.ts';
import { checkSubscription } from './check-subscription.ts';
import { createSecret } from './create-secret.ts';
import { type Deps, subscriptionContext } from './ports.ts';
import { readWithSecret, type SubscriptionWithSecret } from './subscription-secret.ts';

export interface NewSubscription extends Repeatable {
  readonly organizationId: string;
  /** Maximum number of subscriptions of the organization. */
  readonly limit: number;
  readonly url: string;
  readonly events: readonly string[];
  /** Defaults to true. */
  readonly enabled?: boolean | undefined;
}

/**
 * Creates a subscription and returns it with its secret. A repeat returns both as they are now. Otherwise the secret
 * can not be read later.
 * @throws ServiceError `invalid` that names all invalid fields; `conflict` for a repeat after the subscription was
 * deleted.
 */
export function createSubscription(deps: Deps, input: NewSubscription): Promise<SubscriptionWithSecret> {
  const { organizationId } = input;
  return executeOnce(
    deps,
    input,
    () => insertNew(deps, input),
    ([id = '']) => readWithSecret(deps, { organizationId, id }),
  );
}

async function insertNew(
  deps: Deps,
  { organizationId, idempotencyId, limit, url, events: names, enabled = true }: NewSubscription,
): Promise<SubscriptionWithSecret> {
  const { events = [] } = await checkSubscription(deps, { url, events: names });
  const id = v7();
  const now = deps.now();
  const times = { createdAt: now, updatedAt: now };
  const subscription = { id, organizationId, url, events, enabled, disabled: undefined, revision: 1, ...times };
  const secret = createSecret();
  const sealedSecret = deps.vault.seal(secret, subscriptionContext(id));
  await deps.database.transaction({ organizationId }, async (tx) => {
    recordRequests(tx, organizationId, [{ idempotencyId, resourceIds: [id] }], now);
    await insertSubscription(tx, subscription, sealedSecret);
    await requireWithinLimit(tx, organizationId, SUBSCRIPTION_ROWS, limit);
  });
  return { subscription, secret };
}
