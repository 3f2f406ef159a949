import type { InferEntity } from '@mikro-orm/postgresql';
import type { LimitedRows, Transaction } from '@tocsin/database';
import type { ApiKey } from '../domain/api-key.ts';
import type { Credential } from '../domain/credential.ts';
import type { NewApiKey } from '../domain/new-api-key.ts';
import { ApiKeyEntity } from './schema.ts';
import type { Tables } from './tables.ts';

export async function insertApiKey(
  tx: Transaction,
  key: NewApiKey &
    Pick<ApiKey, 'id' | 'createdAt' | 'createdBy' | 'createdByKeyId'> & {
      organizationId: string;
      userId: string;
      secretHash: Buffer;
    },
): Promise<void> {
  await tx.em.insert(ApiKeyEntity, {
    id: key.id,
    organizationId: key.organizationId,
    userId: key.userId,
    name: key.name,
    secretHash: key.secretHash,
    permissions: [...key.permissions],
    expiresAt: key.expiresAt ?? null,
    createdAt: key.createdAt,
    createdBy: key.createdBy ?? null,
    createdByKeyId: key.createdByKeyId ?? null,
  });
}

interface CredentialRow
  extends Pick<
      Tables['api_key'],
      'id' | 'name' | 'permissions' | 'expires_at' | 'revoked_at' | 'last_used_at' | 'organization_id'
    >,
    Pick<Tables['organization'], 'account_number' | 'delete_at'>,
    Pick<Tables['app_user'], 'email'> {
  organization_name: string;
  limits: Record<string, number> | null;
}

/** Returns the key with this hash from any organization, or undefined if there is no such key. */
export async function findCredential(tx: Transaction, secretHash: Buffer): Promise<Credential | undefined> {
  const [row] = await tx.query<CredentialRow>(
    `select k.id, k.name, k.permissions, k.expires_at, k.revoked_at, k.last_used_at, u.email,
            o.id as organization_id, o.name as organization_name, o.account_number, o.delete_at,
            (select jsonb_object_agg(l.name, l.value) from organization_limit l where l.organization_id = o.id) as limits
     from api_key k join app_user u on u.id = k.user_id join organization o on o.id = k.organization_id
     where k.secret_hash = $1`,
    [secretHash],
  );
  return row && toCredential(row);
}

/** Records a use of a key, unless another replica has recorded one since the key was read. */
export async function recordUse(tx: Transaction, { id, lastUsedAt }: Credential, now: Date): Promise<void> {
  await tx.query('update api_key set last_used_at = $2 where id = $1 and last_used_at is not distinct from $3', [
    id,
    now,
    lastUsedAt ?? null,
  ]);
}

function toCredential(row: CredentialRow): Credential {
  return {
    id: row.id,
    kind: 'api_key',
    name: row.name,
    permissions: row.permissions,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    actorEmail: row.email,
    organization: {
      id: row.organization_id,
      name: row.organization_name,
      accountNumber: row.account_number,
      deleteAt: row.delete_at ?? undefined,
    },
    ownLimits: row.limits ?? {},
  };
}

/** An API key that is used to create another key. */
export interface CreatorKey {
  readonly userId: string;
  readonly expiresAt: Date | undefined;
}

/**
 * Returns an organization's key if the key is valid at `now`. Locks the key against revocation until the transaction
 * ends. A later revocation then includes the keys that are created in this transaction.
 */
export async function lockCreatorKey(
  tx: Transaction,
  { organizationId, keyId, now }: { organizationId: string; keyId: string; now: Date },
): Promise<CreatorKey | undefined> {
  const [row] = await tx.query<Pick<Tables['api_key'], 'user_id' | 'expires_at'>>(
    `select user_id, expires_at from api_key
     where id = $1 and organization_id = $2 and revoked_at is null and (expires_at is null or expires_at > $3) for share`,
    [keyId, organizationId, now],
  );
  return row && { userId: row.user_id, expiresAt: row.expires_at ?? undefined };
}

/** Rows that count against the organization's key limit. */
export const API_KEY_ROWS: LimitedRows = { limit: 'api_keys', table: 'api_key', where: 'revoked_at is null' };

/** Returns unrevoked keys with ids below `before`, newest first. */
export async function listApiKeys(
  tx: Transaction,
  organizationId: string,
  { before, limit }: { before: string | undefined; limit: number | undefined },
): Promise<ApiKey[]> {
  const rows = await tx.em.find(
    ApiKeyEntity,
    { organizationId, revokedAt: null, ...(before && { id: { $lt: before } }) },
    { orderBy: { id: 'desc' }, ...(limit && { limit }) },
  );
  return rows.map(toApiKey);
}

export async function findApiKey(tx: Transaction, organizationId: string, id: string): Promise<ApiKey | undefined> {
  const row = await tx.em.findOne(ApiKeyEntity, { id, organizationId, revokedAt: null });
  return row ? toApiKey(row) : undefined;
}

/**
 * Revokes a key and all keys that were created with it, directly or indirectly. Returns the ids of the revoked keys.
 * The list is empty if the key does not exist.
 */
export async function revokeApiKey(tx: Transaction, organizationId: string, id: string, now: Date): Promise<string[]> {
  const key = await tx.query(
    'select from api_key where id = $1 and organization_id = $2 and revoked_at is null for update',
    [id, organizationId],
  );
  if (key.length === 0) return [];
  const revoked: string[] = [];
  for (;;) {
    // The update waits for transactions in which one of these keys creates another key. The next iteration of the loop
    // finds the new key.
    const rows = await tx.query<Pick<Tables['api_key'], 'id'>>(
      `with recursive family as (
         select id from api_key where id = $1 and organization_id = $2
         union select child.id from api_key child join family on child.created_by_key_id = family.id
           where child.organization_id = $2
       )
       update api_key set revoked_at = $3 where id in (select id from family) and revoked_at is null returning id`,
      [id, organizationId, now],
    );
    if (rows.length === 0) return revoked;
    revoked.push(...rows.map((row) => row.id));
  }
}

function toApiKey(row: InferEntity<typeof ApiKeyEntity>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    expiresAt: row.expiresAt ?? undefined,
    lastUsedAt: row.lastUsedAt ?? undefined,
    createdAt: row.createdAt,
    createdBy: row.createdBy ?? undefined,
    createdByKeyId: row.createdByKeyId ?? undefined,
  };
}

/** Returns the number of keys that an organization created after a time, including revoked keys. */
export async function countCreatedSince(tx: Transaction, organizationId: string, since: Date): Promise<number> {
  const [row] = await tx.query<{ created: number }>(
    'select count(*) as created from api_key where organization_id = $1 and created_at > $2',
    [organizationId, since],
  );
  return row?.created ?? 0;
}

/**
 * Deletes up to `limit` keys that were revoked or expired before a time, and returns the number of deleted keys. A key
 * is deleted only after all keys that were created with it.
 */
export async function deleteEndedApiKeys(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from api_key where id in (
       select id from api_key k where least(revoked_at, expires_at) < $1
         and not exists (select from api_key child where child.created_by_key_id = k.id)
       limit $2
     ) returning id`,
    [before, limit],
  );
  return rows.length;
}
