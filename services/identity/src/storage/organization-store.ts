import type { Transaction } from '@tocsin/database';
import type { Organization } from '../domain/credential.ts';
import { MembershipEntity } from './schema.ts';
import type { Tables } from './tables.ts';

/** Inserts an organization and returns it with its new account number. */
export async function insertOrganization(
  tx: Transaction,
  { id, name, createdAt }: { id: string; name: string; createdAt: Date },
): Promise<Organization> {
  const rows = await tx.query<Pick<Tables['organization'], 'account_number'>>(
    'insert into organization (id, name, created_at) values ($1, $2, $3) returning account_number',
    [id, name, createdAt],
  );
  return { id, name, accountNumber: rows[0]?.account_number ?? 0 };
}

export async function organizationExists(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.query('select from organization where id = $1', [id]);
  return rows.length > 0;
}

/**
 * Returns the id of the user with this email address, ignoring case. If there is no such user, creates one with the
 * given id.
 */
export async function upsertUser(
  tx: Transaction,
  { id, email, createdAt }: { id: string; email: string; createdAt: Date },
): Promise<string> {
  // The update changes no values, but it makes the statement return an existing row, even one that was committed
  // concurrently.
  const rows = await tx.query<Pick<Tables['app_user'], 'id'>>(
    `insert into app_user (id, email, created_at) values ($1, $2, $3)
     on conflict (lower(email)) do update set email = app_user.email returning id`,
    [id, email, createdAt],
  );
  return rows[0]?.id ?? id;
}

export async function insertOwner(
  tx: Transaction,
  owner: { organizationId: string; userId: string; createdAt: Date },
): Promise<void> {
  await tx.em.insert(MembershipEntity, { ...owner, role: 'owner' });
}

/** A user who owns an organization. */
export interface Owner {
  readonly id: string;
  readonly email: string;
}

/** Of the owners of an organization, returns the one with the oldest membership. */
export async function firstOwner(tx: Transaction, organizationId: string): Promise<Owner | undefined> {
  return (await listOwners(tx, organizationId))[0];
}

/** Returns the owners of an organization, oldest membership first. */
export async function listOwners(tx: Transaction, organizationId: string): Promise<Owner[]> {
  return tx.query<Owner & Record<string, unknown>>(
    `select u.id, u.email from membership m join app_user u on u.id = m.user_id
     where m.organization_id = $1 and m.role = 'owner' order by m.created_at, u.id`,
    [organizationId],
  );
}

/** Returns the name of an organization; undefined if the organization does not exist. */
export async function findOrganizationName(tx: Transaction, organizationId: string): Promise<string | undefined> {
  const sql = 'select name from organization where id = $1';
  const [row] = await tx.query<Pick<Tables['organization'], 'name'>>(sql, [organizationId]);
  return row?.name;
}
