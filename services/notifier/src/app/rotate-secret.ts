import { notFound } from '@tocsin/errors';
import { executeOnce, type Repeatable, recordRequests } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { lockSubscription, replaceSecret } from '../storage/subscription-store.ts';
import { createSecret } from './create-secret.ts';
import { type Deps, subscriptionContext } from './ports.ts';
import { readWithSecret } from './subscription-secret.ts';

/** Time after a rotation during which deliveries are also signed with the previous secret, in milliseconds. */
const OVERLAP_MS = 24 * 3_600_000;

export interface Rotation extends Repeatable {
  readonly organizationId: string;
  /** Id of the subscription. */
  readonly id: string;
}

/**
 * Replaces a subscription's secret and returns the new one. A repeat returns the current secret: a second rotation
 * would end the validity of the secret that the receiver still has. Otherwise the secret can not be read later.
 * @throws ServiceError `not_found`; `conflict` for a repeat after the subscription was deleted.
 */
export async function rotateSecret(deps: Deps, rotation: Rotation): Promise<string> {
  const { organizationId, id } = rotation;
  if (!isId(id)) throw notFound('webhook');
  return executeOnce(
    deps,
    rotation,
    () => replace(deps, rotation),
    async () => (await readWithSecret(deps, { organizationId, id })).secret,
  );
}

async function replace(
  { database, vault, now }: Deps,
  { organizationId, id, idempotencyId }: Rotation,
): Promise<string> {
  const secret = createSecret();
  const sealedSecret = vault.seal(secret, subscriptionContext(id));
  await database.transaction({ organizationId }, async (tx) => {
    const at = now();
    recordRequests(tx, organizationId, [{ idempotencyId, resourceIds: [id] }], at);
    const subscription = await lockSubscription(tx, organizationId, id);
    if (!subscription) throw notFound('webhook');
    await replaceSecret(tx, subscription, { sealedSecret, at, previousUntil: new Date(at.getTime() + OVERLAP_MS) });
  });
  return secret;
}
