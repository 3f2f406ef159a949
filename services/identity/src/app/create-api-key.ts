import { randomBytes } from 'node:crypto';
import { notFound } from '@tocsin/errors';
import { v7, validate } from 'uuid';
import { checkNewApiKey, type NewApiKey } from '../domain/new-api-key.ts';
import { insertApiKey } from '../storage/api-key-store.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { firstOwner } from '../storage/organization-store.ts';
import { API_KEY_BYTES, formatApiKey, hashApiKey } from './api-key.ts';
import type { Deps } from './ports.ts';

export interface CreatedApiKey {
  readonly id: string;
  /** The key itself, which can't be read again. */
  readonly key: string;
  readonly permissions: readonly string[];
}

/**
 * Creates an API key in the name of the organization's first owner.
 * @throws ServiceError `invalid` that names every wrong field, `not_found` for the organization.
 */
export async function createApiKey(
  { database, now }: Deps,
  { actor, organizationId, ...wanted }: NewApiKey & { organizationId: string; actor: string },
): Promise<CreatedApiKey> {
  const createdAt = now();
  const { name, permissions, expiresAt } = checkNewApiKey(wanted, createdAt);
  if (!validate(organizationId)) throw notFound('organization');
  const id = v7();
  const key = formatApiKey(randomBytes(API_KEY_BYTES));
  await database.transaction({ organizationId }, async (tx) => {
    const userId = await firstOwner(tx, organizationId);
    if (userId === undefined) throw notFound('organization');
    const secretHash = hashApiKey(key);
    await insertApiKey(tx, { id, organizationId, userId, name, permissions, expiresAt, secretHash, createdAt });
    await insertAudit(tx, {
      organizationId,
      actor,
      action: 'api_key.created',
      targetId: id,
      details: { name, permissions, expires_at: expiresAt?.toISOString() ?? null },
      occurredAt: createdAt,
    });
  });
  return { id, key, permissions };
}
