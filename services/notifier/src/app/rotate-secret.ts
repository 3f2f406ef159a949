import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { lockSubscription, replaceSecret } from '../storage/subscription-store.ts';
import { createSecret } from './create-secret.ts';
import { type Deps, subscriptionContext } from './ports.ts';

/** Time after a rotation during which deliveries are also signed with the previous secret, in milliseconds. */
const OVERLAP_MS = 24 * 3_600_000;

/**
 * Replaces a subscription's secret and returns the new one. The secret cannot be read later.
 * @throws ServiceError `not_found`.
 */
export async function rotateSecret(
  { database, vault, now }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<string> {
  if (!isId(id)) throw notFound('webhook');
  const secret = createSecret();
  const sealedSecret = vault.seal(secret, subscriptionContext(id));
  await database.transaction({ organizationId }, async (tx) => {
    const subscription = await lockSubscription(tx, organizationId, id);
    if (!subscription) throw notFound('webhook');
    const at = now();
    await replaceSecret(tx, subscription, { sealedSecret, at, previousUntil: new Date(at.getTime() + OVERLAP_MS) });
  });
  return secret;
}
