import type { Transaction } from '@tocsin/database';
import type { EnforcedMember } from '../domain/enforced-sign-in.ts';
import { domainOf, type KnownUser, type OrganizationDomain } from '../domain/organization-sign-in.ts';
import { isRole, type Role } from '../domain/role.ts';
import type { User } from '../domain/session.ts';
import type { Tables } from './tables.ts';

/** Stored identity provider of an organization. */
export interface StoredProvider {
  readonly organizationId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly sealedClientSecret: string;
  readonly roleClaim: string | undefined;
  /** Whether members whose address is in a proven domain must sign in at the provider. */
  readonly isEnforced: boolean;
}

export async function saveProvider(tx: Transaction, provider: StoredProvider, updatedAt: Date): Promise<void> {
  const { organizationId, issuer, clientId, sealedClientSecret, roleClaim, isEnforced } = provider;
  await tx.query(
    `insert into organization_provider (organization_id, issuer, client_id, sealed_client_secret, role_claim, enforced, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (organization_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
       sealed_client_secret = excluded.sealed_client_secret, role_claim = excluded.role_claim,
       enforced = excluded.enforced, updated_at = excluded.updated_at`,
    [organizationId, issuer, clientId, sealedClientSecret, roleClaim ?? null, isEnforced, updatedAt],
  );
}

/** Returns an organization's provider; undefined if it has none. */
export async function findProvider(tx: Transaction, organizationId: string): Promise<StoredProvider | undefined> {
  const [row] = await tx.query<Tables['organization_provider']>(
    'select * from organization_provider where organization_id = $1',
    [organizationId],
  );
  return (
    row && {
      organizationId: row.organization_id,
      issuer: row.issuer,
      clientId: row.client_id,
      sealedClientSecret: row.sealed_client_secret,
      roleClaim: row.role_claim ?? undefined,
      isEnforced: row.enforced,
    }
  );
}

/** Deletes an organization's provider. Returns whether it existed. */
export async function deleteProvider(tx: Transaction, organizationId: string): Promise<boolean> {
  const sql = 'delete from organization_provider where organization_id = $1 returning issuer';
  return (await tx.query(sql, [organizationId])).length > 0;
}

/** Returns the organization that has proven a domain; undefined if there is none, or if it has no provider. */
export async function findOrganizationOfDomain(tx: Transaction, domain: string): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['organization_domain'], 'organization_id'>>(
    `select d.organization_id from organization_domain d
       join organization_provider p on p.organization_id = d.organization_id
     where d.domain = $1 and d.proven_at is not null`,
    [domain],
  );
  return row?.organization_id;
}

/**
 * Returns a user's membership in the organization that has proven the domain of the user's email address and requires
 * its members to sign in at its provider. Returns undefined if there is none. The transaction must see every
 * organization.
 */
export async function findEnforcedMember(tx: Transaction, { id, email }: User): Promise<EnforcedMember | undefined> {
  const [row] = await tx.query<{ organization_id: string; role: Role }>(
    `select m.organization_id, m.role from organization_domain d
       join organization_provider p on p.organization_id = d.organization_id and p.enforced
       join membership m on m.organization_id = d.organization_id and m.user_id = $1
     where d.domain = $2 and d.proven_at is not null`,
    [id, domainOf(email)],
  );
  return row && { organizationId: row.organization_id, role: row.role };
}

/** Returns the domains of an organization, sorted by name. */
export async function listDomains(tx: Transaction, organizationId: string): Promise<OrganizationDomain[]> {
  const rows = await tx.query<Tables['organization_domain']>(
    'select * from organization_domain where organization_id = $1 order by domain',
    [organizationId],
  );
  return rows.map(({ id, domain, proof, proven_at: provenAt }) => ({
    id,
    domain,
    proof,
    provenAt: provenAt ?? undefined,
  }));
}

/** Inserts a domain, unless the organization has it already. */
export async function insertDomain(
  tx: Transaction,
  { organizationId, ...domain }: Omit<OrganizationDomain, 'provenAt'> & { organizationId: string },
): Promise<void> {
  await tx.query(
    `insert into organization_domain (id, organization_id, domain, proof) values ($1, $2, $3, $4)
     on conflict (organization_id, domain) do nothing`,
    [domain.id, organizationId, domain.domain, domain.proof],
  );
}

/**
 * Replaces the value of the TXT record that proves a domain. The domain is then unproven until the new record is found.
 */
export async function replaceProof(tx: Transaction, id: string, proof: string): Promise<void> {
  await tx.query('update organization_domain set proof = $2, proven_at = null where id = $1', [id, proof]);
}

/** Deletes a domain of an organization and returns its name; undefined if it does not exist. */
export async function deleteDomain(tx: Transaction, organizationId: string, id: string): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['organization_domain'], 'domain'>>(
    'delete from organization_domain where organization_id = $1 and id = $2 returning domain',
    [organizationId, id],
  );
  return row?.domain;
}

/**
 * Records whether an organization has proven a domain. The domain belongs to the organization that proved it last,
 * because only one organization can control the domain's DNS records at a time. The transaction must see every
 * organization.
 */
export async function saveProof(
  tx: Transaction,
  { id, domain, provenAt }: { id: string; domain: string; provenAt: Date | undefined },
): Promise<void> {
  if (provenAt) {
    await tx.query(
      'update organization_domain set proven_at = null where domain = $1 and id <> $2 and proven_at is not null',
      [domain, id],
    );
  }
  await tx.query('update organization_domain set proven_at = $2 where id = $1', [id, provenAt ?? null]);
}

export async function insertAttempt(
  tx: Transaction,
  attempt: { stateHash: Buffer; organizationId: string; sealed: string; expiresAt: Date },
): Promise<void> {
  const { stateHash, organizationId, sealed, expiresAt } = attempt;
  await tx.query(
    'insert into provider_attempt (state_hash, organization_id, sealed, expires_at) values ($1, $2, $3, $4)',
    [stateHash, organizationId, sealed, expiresAt],
  );
}

/**
 * Deletes a sign-in attempt, so that it can be completed only once, and returns its sealed content. Returns undefined
 * if the attempt is not valid.
 */
export async function takeAttempt(
  tx: Transaction,
  { stateHash, organizationId, now }: { stateHash: Buffer; organizationId: string; now: Date },
): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['provider_attempt'], 'sealed'>>(
    'delete from provider_attempt where state_hash = $1 and organization_id = $2 and expires_at > $3 returning sealed',
    [stateHash, organizationId, now],
  );
  return row?.sealed;
}

/** Deletes up to `limit` attempts that expired before a time, and returns the number of deleted attempts. */
export async function deleteExpiredAttempts(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from provider_attempt where state_hash in (
       select state_hash from provider_attempt where expires_at < $1 limit $2
     ) returning state_hash`,
    [before, limit],
  );
  return rows.length;
}

const KNOWN_USER = `select u.id, u.email, m.role from app_user u
  left join membership m on m.user_id = u.id and m.organization_id = $1`;

/** Returns the user that is linked to a subject of an organization's provider; undefined if the subject is unknown. */
export async function findUserOfSubject(
  tx: Transaction,
  { organizationId, issuer, subject }: { organizationId: string; issuer: string; subject: string },
): Promise<KnownUser | undefined> {
  const rows = await tx.query<KnownRow>(
    `${KNOWN_USER} join provider_subject s on s.user_id = u.id
     where s.organization_id = $1 and s.issuer = $2 and s.subject = $3`,
    [organizationId, issuer, subject],
  );
  return toKnownUser(rows);
}

/**
 * Returns the user with a mail address, ignoring case, and the user's role in an organization; undefined for an unknown
 * address.
 */
export async function findKnownUser(
  tx: Transaction,
  organizationId: string,
  email: string,
): Promise<KnownUser | undefined> {
  return toKnownUser(
    await tx.query<KnownRow>(`${KNOWN_USER} where lower(u.email) = lower($2)`, [organizationId, email]),
  );
}

export async function saveSubject(
  tx: Transaction,
  subject: { organizationId: string; issuer: string; subject: string; userId: string },
): Promise<void> {
  await tx.query(
    `insert into provider_subject (organization_id, issuer, subject, user_id) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [subject.organizationId, subject.issuer, subject.subject, subject.userId],
  );
}

interface KnownRow extends Pick<Tables['app_user'], 'id' | 'email'> {
  readonly role: string | null;
}

function toKnownUser([row]: readonly KnownRow[]): KnownUser | undefined {
  return row && { id: row.id, email: row.email, role: row.role !== null && isRole(row.role) ? row.role : undefined };
}
