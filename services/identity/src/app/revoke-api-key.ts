import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { credentialRevoked } from '../events/outgoing.ts';
import { revokeApiKey as revoke } from '../storage/api-key-store.ts';
import { type AuditEntry, insertAudit } from '../storage/audit-store.ts';
import type { Deps } from './ports.ts';

/**
 * Revokes a key and all keys that were created with it, directly or indirectly. No new tokens are issued for revoked
 * keys. Gateways drop cached tokens when they get the revocation event, or at the latest when the tokens expire.
 */
export async function revokeApiKey(
  { database, now }: Deps,
  {
    organizationId,
    id,
    ...by
  }: { organizationId: string; id: string } & Pick<AuditEntry, 'actor' | 'address' | 'credentialId'>,
): Promise<void> {
  if (!isId(id)) throw notFound('API key');
  const occurredAt = now();
  await database.transaction({ organizationId }, async (tx) => {
    const revoked = await revoke(tx, organizationId, id, occurredAt);
    if (revoked.length === 0) throw notFound('API key');
    for (const targetId of revoked) {
      const details = targetId === id ? {} : { revoked_with: id };
      await insertAudit(tx, { organizationId, ...by, action: 'api_key.revoked', targetId, details, occurredAt });
    }
    await appendEvents(
      tx,
      revoked.map((revokedId) => credentialRevoked(organizationId, revokedId)),
      occurredAt,
    );
  });
}
