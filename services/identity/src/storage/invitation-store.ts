import type { Transaction } from '@tocsin/database';
import type { Invitation } from '../domain/member-rules.ts';
import { toRole } from './membership-store.ts';
import type { Tables } from './tables.ts';

export interface NewInvitation extends Invitation {
  readonly organizationId: string;
  readonly secretHash: Buffer;
  readonly createdAt: Date;
}

/** Inserts an invitation. Replaces an earlier invitation of the organization for the same address. */
export async function saveInvitation(tx: Transaction, invitation: NewInvitation): Promise<void> {
  const { id, organizationId, email, role, secretHash, invitedBy, createdAt, expiresAt } = invitation;
  await tx.query(
    `insert into invitation (id, organization_id, email, role, secret_hash, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (organization_id, lower(email)) do update set id = excluded.id, role = excluded.role,
       secret_hash = excluded.secret_hash, invited_by = excluded.invited_by, created_at = excluded.created_at,
       expires_at = excluded.expires_at`,
    [id, organizationId, email, role, secretHash, invitedBy, createdAt, expiresAt],
  );
}

type InvitationRow = Pick<Tables['invitation'], 'id' | 'email' | 'role' | 'invited_by' | 'expires_at'>;

/** Returns the invitations of an organization that have not expired, newest first. */
export async function listInvitations(tx: Transaction, organizationId: string, now: Date): Promise<Invitation[]> {
  const rows = await tx.query<InvitationRow>(
    `select id, email, role, invited_by, expires_at from invitation where organization_id = $1 and expires_at > $2
     order by created_at desc, id desc`,
    [organizationId, now],
  );
  return rows.map(toInvitation);
}

/** An invitation with its organization. */
export interface FoundInvitation extends Invitation {
  readonly organization: { readonly id: string; readonly name: string };
}

/**
 * Returns the invitation that a link belongs to, and locks it until the transaction ends; undefined if it is unknown,
 * used, revoked or expired. The transaction must see every organization.
 */
export async function lockInvitation(
  tx: Transaction,
  secretHash: Buffer,
  now: Date,
): Promise<FoundInvitation | undefined> {
  const [row] = await tx.query<InvitationRow & { organization_id: string; organization_name: string }>(
    `select i.id, i.email, i.role, i.invited_by, i.expires_at, o.id as organization_id, o.name as organization_name
     from invitation i join organization o on o.id = i.organization_id
     where i.secret_hash = $1 and i.expires_at > $2 for update of i`,
    [secretHash, now],
  );
  return row && { ...toInvitation(row), organization: { id: row.organization_id, name: row.organization_name } };
}

/** Deletes an invitation of an organization and returns its address; undefined if it does not exist. */
export async function deleteInvitation(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['invitation'], 'email'>>(
    'delete from invitation where organization_id = $1 and id = $2 returning email',
    [organizationId, id],
  );
  return row?.email;
}

/** Deletes up to `limit` invitations that expired before a time, and returns the number of deleted invitations. */
export async function deleteExpiredInvitations(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    'delete from invitation where id in (select id from invitation where expires_at < $1 limit $2) returning id',
    [before, limit],
  );
  return rows.length;
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: toRole(row.role),
    invitedBy: row.invited_by,
    expiresAt: row.expires_at,
  };
}
