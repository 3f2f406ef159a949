import type { Transaction } from '@tocsin/database';
import type { ProviderChange } from '../domain/organization-sign-in.ts';
import type { FirstFactor, Session, SignedIn, User } from '../domain/session.ts';
import type { Tables } from './tables.ts';

export interface NewSession extends Session {
  readonly userId: string;
  readonly secretHash: Buffer;
  readonly expiresAt: Date;
  /** Whether the second-factor code must still be entered. */
  readonly awaitsCode: boolean;
  /** First factor of a session that awaits a code. */
  readonly firstFactor: FirstFactor | undefined;
  /** Whether only a recovery code completes the sign-in. */
  readonly recoveryOnly: boolean;
  /** Changes to the user that the provider reported. They take effect when the second-factor code is entered. */
  readonly providerChange: ProviderChange | undefined;
}

export async function insertSession(tx: Transaction, session: NewSession): Promise<void> {
  const { id, userId, secretHash, device, createdAt, lastUsedAt, expiresAt, awaitsCode, firstFactor } = session;
  const { provedAt, providerOrganizationId, recoveryOnly, providerChange } = session;
  await tx.query(
    `insert into session (id, user_id, secret_hash, address, user_agent, created_at, last_used_at, expires_at,
       awaits_code, first_factor, proved_at, provider_organization_id, recovery_only, provider_change)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      id,
      userId,
      secretHash,
      device.address,
      device.userAgent,
      createdAt,
      lastUsedAt,
      expiresAt,
      awaitsCode,
      firstFactor ?? null,
      provedAt ?? null,
      providerOrganizationId ?? null,
      recoveryOnly,
      providerChange ? JSON.stringify(providerChange) : null,
    ],
  );
}

/**
 * Deletes all but the `kept` most recently used sessions of a user. If `awaitsCode` is true, affects only sessions that
 * await a code after the given first factor; otherwise, only sessions that do not await a code.
 */
export async function deleteSurplusSessions(
  tx: Transaction,
  {
    userId,
    awaitsCode,
    firstFactor,
    kept,
  }: Pick<NewSession, 'userId' | 'awaitsCode' | 'firstFactor'> & { kept: number },
): Promise<void> {
  await tx.query(
    `delete from session where id in (
       select id from session where user_id = $1 and awaits_code = $2 and first_factor is not distinct from $3
       order by last_used_at desc, id desc offset $4
     )`,
    [userId, awaitsCode, firstFactor ?? null, kept],
  );
}

type SessionRow = Pick<
  Tables['session'],
  'id' | 'address' | 'user_agent' | 'created_at' | 'proved_at' | 'provider_organization_id' | 'last_used_at'
>;

/**
 * Returns the user and the session that a cookie's secret belongs to; undefined if the session ended or does not exist.
 */
export async function findSignedIn(tx: Transaction, secretHash: Buffer, now: Date): Promise<SignedIn | undefined> {
  const [row] = await tx.query<SessionRow & { user_id: string; email: string }>(
    `select s.id, s.user_id, s.address, s.user_agent, s.created_at, s.proved_at, s.provider_organization_id,
       s.last_used_at, u.email
     from session s join app_user u on u.id = s.user_id where s.secret_hash = $1 and s.expires_at > $2
       and not s.awaits_code`,
    [secretHash, now],
  );
  return row && { user: { id: row.user_id, email: row.email }, session: toSession(row) };
}

/** A session that awaits a code. */
export interface AwaitingSession extends Pick<NewSession, 'recoveryOnly' | 'providerChange'> {
  readonly sessionId: string;
  readonly user: User;
  readonly firstFactor: FirstFactor;
}

/** Returns the session that awaits a code and has this secret; undefined if there is none. */
export async function findAwaitingSession(
  tx: Transaction,
  secretHash: Buffer,
  now: Date,
): Promise<AwaitingSession | undefined> {
  const [row] = await tx.query<
    Pick<Tables['session'], 'id' | 'user_id' | 'recovery_only'> & {
      email: string;
      first_factor: FirstFactor | null;
      provider_change: ProviderChange | null;
    }
  >(
    `select s.id, s.user_id, s.first_factor, s.recovery_only, s.provider_change, u.email
     from session s join app_user u on u.id = s.user_id
     where s.secret_hash = $1 and s.expires_at > $2 and s.awaits_code`,
    [secretHash, now],
  );
  // Sessions that were stored before this column existed have no first factor. Assume a password, because that is the
  // factor that an attacker is most likely to have.
  const firstFactor = row?.first_factor ?? 'password';
  return (
    row && {
      sessionId: row.id,
      user: { id: row.user_id, email: row.email },
      firstFactor,
      recoveryOnly: row.recovery_only,
      providerChange: row.provider_change ?? undefined,
    }
  );
}

/** Returns the sessions of a user that have not ended, the most recently used first. */
export async function listSessions(tx: Transaction, userId: string, now: Date): Promise<Session[]> {
  const rows = await tx.query<SessionRow>(
    `select id, address, user_agent, created_at, proved_at, provider_organization_id, last_used_at from session
     where user_id = $1 and expires_at > $2 and not awaits_code order by last_used_at desc, id desc`,
    [userId, now],
  );
  return rows.map(toSession);
}

/** Records a use of a session, which postpones its end. */
export async function recordSessionUse(
  tx: Transaction,
  { id, lastUsedAt, expiresAt, device }: Pick<NewSession, 'id' | 'lastUsedAt' | 'expiresAt' | 'device'>,
): Promise<void> {
  await tx.query('update session set last_used_at = $2, expires_at = $3, address = $4, user_agent = $5 where id = $1', [
    id,
    lastUsedAt,
    expiresAt,
    device.address,
    device.userAgent,
  ]);
}

/** Deletes a session of a user. Returns whether it existed. */
export async function deleteSession(tx: Transaction, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query('delete from session where id = $1 and user_id = $2 returning id', [id, userId]);
  return rows.length > 0;
}

export async function deleteSessionOf(tx: Transaction, secretHash: Buffer): Promise<void> {
  await tx.query('delete from session where secret_hash = $1', [secretHash]);
}

/** Deletes all sessions of a user, or all except one. */
export async function deleteSessions(tx: Transaction, userId: string, keptId?: string): Promise<void> {
  await tx.query('delete from session where user_id = $1 and id is distinct from $2', [userId, keptId ?? null]);
}

/**
 * Deletes a user's sessions, except those that began with a sign-in at the identity provider of the given organization.
 */
export async function deleteSessionsElsewhere(tx: Transaction, userId: string, organizationId: string): Promise<void> {
  await tx.query('delete from session where user_id = $1 and provider_organization_id is distinct from $2', [
    userId,
    organizationId,
  ]);
}

/** Deletes up to `limit` sessions that ended before a time, and returns the number of deleted sessions. */
export async function deleteEndedSessions(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    'delete from session where id in (select id from session where expires_at < $1 limit $2) returning id',
    [before, limit],
  );
  return rows.length;
}

function toSession(row: SessionRow): Session {
  const device = { address: row.address, userAgent: row.user_agent };
  return {
    id: row.id,
    createdAt: row.created_at,
    provedAt: row.proved_at ?? undefined,
    providerOrganizationId: row.provider_organization_id ?? undefined,
    lastUsedAt: row.last_used_at,
    device,
  };
}
