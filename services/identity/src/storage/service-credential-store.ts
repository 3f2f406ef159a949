import type { Transaction } from '@tocsin/database';
import type { ServiceCredential } from '../domain/service-credential.ts';
import type { Tables } from './tables.ts';

type Row = Tables['service_credential'];

export async function insertServiceCredential(
  tx: Transaction,
  { secretHash, ...credential }: Omit<ServiceCredential, 'lastUsedAt'> & { readonly secretHash: Buffer },
): Promise<void> {
  await tx.query(
    `insert into service_credential (id, organization_id, name, secret_hash, permissions, audiences, token_seconds,
       expires_at, created_at, created_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      credential.id,
      credential.organizationId ?? null,
      credential.name,
      secretHash,
      credential.permissions,
      credential.audiences,
      credential.tokenSeconds,
      credential.expiresAt ?? null,
      credential.createdAt,
      credential.createdBy,
    ],
  );
}

/** Returns the credential with this hash from any organization, or undefined if it is unknown or not valid at `now`. */
export async function findUsableServiceCredential(
  tx: Transaction,
  secretHash: Buffer,
  now: Date,
): Promise<ServiceCredential | undefined> {
  const [row] = await tx.query<Row>(
    `select * from service_credential
     where secret_hash = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [secretHash, now],
  );
  return row && toServiceCredential(row);
}

export async function recordServiceCredentialUse(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.query('update service_credential set last_used_at = $2 where id = $1', [id, now]);
}

/**
 * Returns the credentials of an organization that were not revoked, newest first. Without an organization, returns the
 * credentials that are not bound to any organization.
 */
export async function listServiceCredentials(
  tx: Transaction,
  organizationId: string | undefined,
): Promise<ServiceCredential[]> {
  const rows = await tx.query<Row>(
    `select * from service_credential where organization_id is not distinct from $1 and revoked_at is null
     order by id desc`,
    [organizationId ?? null],
  );
  return rows.map(toServiceCredential);
}

/**
 * Blocks additions to the credentials of an organization until the transaction ends. Without an organization, blocks
 * additions to the credentials that are not bound to any organization.
 */
export async function lockServiceCredentials(tx: Transaction, organizationId: string | undefined): Promise<void> {
  const name = `service_credentials ${organizationId ?? ''}`;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

/**
 * Returns two counts of an organization's credentials: `active` counts those that were not revoked, and `created`
 * counts those created after `since`, whether revoked or not. Without an organization, counts the credentials that are
 * not bound to any organization.
 */
export async function countServiceCredentials(
  tx: Transaction,
  organizationId: string | undefined,
  since: Date,
): Promise<{ active: number; created: number }> {
  const [row] = await tx.query<{ active: number; created: number }>(
    `select count(*) filter (where revoked_at is null) as active, count(*) filter (where created_at > $2) as created
     from service_credential where organization_id is not distinct from $1`,
    [organizationId ?? null, since],
  );
  return row ?? { active: 0, created: 0 };
}

/** Revokes a credential of any organization and returns it; undefined if it is unknown or already revoked. */
export async function revokeServiceCredential(
  tx: Transaction,
  id: string,
  now: Date,
): Promise<ServiceCredential | undefined> {
  const [row] = await tx.query<Row>(
    'update service_credential set revoked_at = $2 where id = $1 and revoked_at is null returning *',
    [id, now],
  );
  return row && toServiceCredential(row);
}

/**
 * Deletes up to `limit` credentials that were revoked or expired before a time, and returns the number of deleted
 * credentials.
 */
export async function deleteEndedServiceCredentials(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from service_credential where id in (
       select id from service_credential where least(revoked_at, expires_at) < $1 limit $2
     ) returning id`,
    [before, limit],
  );
  return rows.length;
}

function toServiceCredential(row: Row): ServiceCredential {
  return {
    id: row.id,
    organizationId: row.organization_id ?? undefined,
    name: row.name,
    permissions: row.permissions,
    audiences: row.audiences,
    tokenSeconds: row.token_seconds,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}
