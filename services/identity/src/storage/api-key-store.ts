import type { InferEntity } from '@mikro-orm/postgresql';
import type { Transaction } from '@tocsin/database';
import type { ApiKey } from '../domain/api-key.ts';
import type { Credential } from '../domain/credential.ts';
import type { NewApiKey } from '../domain/new-api-key.ts';
import { ApiKeyEntity } from './schema.ts';

export async function insertApiKey(
  tx: Transaction,
  key: NewApiKey & { id: string; organizationId: string; userId: string; secretHash: Buffer; createdAt: Date },
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
  });
}

interface CredentialRow {
  id: string;
  name: string;
  permissions: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  email: string;
  organization_id: string;
  organization_name: string;
  account_number: number;
}

/** Finds a key, of whatever organization, by the hash of its secret. */
export async function findCredential(tx: Transaction, secretHash: Buffer): Promise<Credential | undefined> {
  const [row] = await tx.query<CredentialRow>(
    `select k.id, k.name, k.permissions, k.expires_at, k.revoked_at, k.last_used_at, u.email,
            o.id as organization_id, o.name as organization_name, o.account_number
     from api_key k join app_user u on u.id = k.user_id join organization o on o.id = k.organization_id
     where k.secret_hash = $1`,
    [secretHash],
  );
  return row && toCredential(row);
}

/** Notes a use, unless another replica just noted one. */
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
    name: row.name,
    permissions: row.permissions,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    actorEmail: row.email,
    organization: { id: row.organization_id, name: row.organization_name, accountNumber: row.account_number },
  };
}

/** The user in whose name a key acts; undefined when the key is not of this organization. */
export async function findKeyOwner(
  tx: Transaction,
  organizationId: string,
  keyId: string,
): Promise<string | undefined> {
  const key = await tx.em.findOne(ApiKeyEntity, { id: keyId, organizationId });
  return key?.userId;
}

/** Keys that were not revoked, newest first, below the id `before`. */
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

/** Answers whether there was a key to revoke. */
export async function revokeApiKey(tx: Transaction, organizationId: string, id: string, now: Date): Promise<boolean> {
  const changed = await tx.em.nativeUpdate(ApiKeyEntity, { id, organizationId, revokedAt: null }, { revokedAt: now });
  return changed > 0;
}

function toApiKey(row: InferEntity<typeof ApiKeyEntity>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    expiresAt: row.expiresAt ?? undefined,
    lastUsedAt: row.lastUsedAt ?? undefined,
    createdAt: row.createdAt,
  };
}
