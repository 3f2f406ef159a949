import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { credentialRevoked } from '../events/outgoing.ts';
import { revokeApiKey as revoke } from '../storage/api-key-store.ts';
import { insertAudit } from '../storage/audit-store.ts';
import type { Deps } from './ports.ts';

/**
 * Ends a key: no new token is made from it from now on, and who keeps one made before drops it when the fact arrives,
 * at the latest when the token ends.
 */
export async function revokeApiKey(
  { database, now }: Deps,
  { organizationId, id, actor }: { organizationId: string; id: string; actor: string },
): Promise<void> {
  if (!isId(id)) throw notFound('API key');
  const occurredAt = now();
  await database.transaction({ organizationId }, async (tx) => {
    if (!(await revoke(tx, organizationId, id, occurredAt))) throw notFound('API key');
    await insertAudit(tx, { organizationId, actor, action: 'api_key.revoked', targetId: id, details: {}, occurredAt });
    await appendEvents(tx, [credentialRevoked(organizationId, id)], occurredAt);
  });
}
