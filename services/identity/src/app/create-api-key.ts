import { randomBytes } from 'node:crypto';
import { PERMISSIONS } from '@tocsin/enums';
import { notFound, ServiceError } from '@tocsin/errors';
import { v7, validate } from 'uuid';
import { checkNewApiKey, type NewApiKey } from '../domain/new-api-key.ts';
import { findKeyOwner, insertApiKey } from '../storage/api-key-store.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { firstOwner } from '../storage/organization-store.ts';
import { API_KEY_BYTES, formatApiKey, hashApiKey } from './api-key.ts';
import type { Deps } from './ports.ts';

export interface CreatedApiKey {
  readonly id: string;
  /** The key itself, which can't be read again. */
  readonly key: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly expiresAt: Date | undefined;
  readonly createdAt: Date;
}

/** In whose name a key is made, and how the audit log calls who did it. */
export type KeyCreator =
  | { readonly kind: 'admin'; readonly actor: string }
  | {
      readonly kind: 'credential';
      readonly actor: string;
      readonly credentialId: string;
      readonly permissions: readonly string[];
    };

/**
 * Creates an API key: for the admin in the name of the organization's first owner, for a credential in that of its user
 * and with no more permissions than it holds itself.
 * @throws ServiceError `invalid` that names every wrong field, `not_found` for the organization.
 */
export async function createApiKey(
  { database, now }: Deps,
  { maker, organizationId, ...wanted }: NewApiKey & { organizationId: string; maker: KeyCreator },
): Promise<CreatedApiKey> {
  const createdAt = now();
  const held = maker.kind === 'credential' ? maker.permissions : PERMISSIONS;
  const { name, permissions, expiresAt } = checkNewApiKey(wanted, createdAt, held);
  if (!validate(organizationId)) throw notFound('organization');
  const id = v7();
  const key = formatApiKey(randomBytes(API_KEY_BYTES));
  await database.transaction({ organizationId }, async (tx) => {
    const userId = await (maker.kind === 'admin'
      ? firstOwner(tx, organizationId).then((owner) => owner?.id)
      : findKeyOwner(tx, organizationId, maker.credentialId));
    if (userId === undefined) {
      throw maker.kind === 'admin'
        ? notFound('organization')
        : new ServiceError('forbidden', 'only an API key may create others');
    }
    const secretHash = hashApiKey(key);
    await insertApiKey(tx, { id, organizationId, userId, name, permissions, expiresAt, secretHash, createdAt });
    await insertAudit(tx, {
      organizationId,
      actor: maker.actor,
      action: 'api_key.created',
      targetId: id,
      details: { name, permissions, expires_at: expiresAt?.toISOString() ?? null },
      occurredAt: createdAt,
    });
  });
  return { id, key, name, permissions, expiresAt, createdAt };
}
