import type { Transaction } from '@tocsin/database';
import type { Credential } from '../domain/credential.ts';
import type { Tables } from './tables.ts';

type ArtifactRow = Tables['oauth_artifact'];

/** A stored token, code or interaction. */
export interface Artifact {
  readonly idHash: Buffer;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
  readonly consumedAt: Date | undefined;
  readonly grantId: string | undefined;
}

interface NewArtifact {
  readonly kind: string;
  readonly idHash: Buffer;
  readonly grantId: string | undefined;
  readonly userId: string | undefined;
  readonly userCodeHash: Buffer | undefined;
  /** Hash of the network that requested a device code. */
  readonly networkHash: Buffer | undefined;
  /** Hash of the IPv6 site (/48) that requested a device code; undefined for IPv4. */
  readonly siteHash: Buffer | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Inserts an artifact, or replaces its payload, grant and time of expiry. */
export async function saveArtifact(tx: Transaction, artifact: NewArtifact): Promise<void> {
  await tx.query(
    `insert into oauth_artifact (kind, id_hash, grant_id, user_id, user_code_hash, payload, created_at, expires_at,
       network_hash, site_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (kind, id_hash) do update
       set grant_id = excluded.grant_id, payload = excluded.payload, expires_at = excluded.expires_at`,
    [
      artifact.kind,
      artifact.idHash,
      artifact.grantId ?? null,
      artifact.userId ?? null,
      artifact.userCodeHash ?? null,
      JSON.stringify(artifact.payload),
      artifact.createdAt,
      artifact.expiresAt,
      artifact.networkHash ?? null,
      artifact.siteHash ?? null,
    ],
  );
}

export async function findArtifact(tx: Transaction, kind: string, idHash: Buffer): Promise<Artifact | undefined> {
  const [row] = await tx.query<ArtifactRow>('select * from oauth_artifact where kind = $1 and id_hash = $2', [
    kind,
    idHash,
  ]);
  return row && toArtifact(row);
}

const BY_USER_CODE = 'select * from oauth_artifact where user_code_hash = $1';

/** Returns the device code with this user code. */
export async function findByUserCode(tx: Transaction, userCodeHash: Buffer): Promise<Artifact | undefined> {
  const [row] = await tx.query<ArtifactRow>(BY_USER_CODE, [userCodeHash]);
  return row && toArtifact(row);
}

/** Returns the device code with this user code, and locks it until the transaction ends. */
export async function lockByUserCode(tx: Transaction, userCodeHash: Buffer): Promise<Artifact | undefined> {
  const [row] = await tx.query<ArtifactRow>(`${BY_USER_CODE} for update`, [userCodeHash]);
  return row && toArtifact(row);
}

/**
 * Saves the payload and the grant of a device code after the user has allowed or denied access. The code then no longer
 * counts as waiting.
 */
export async function saveDecision(
  tx: Transaction,
  { idHash, payload, grantId }: Pick<Artifact, 'idHash' | 'payload' | 'grantId'>,
): Promise<void> {
  await tx.query(
    `update oauth_artifact set payload = $2, grant_id = $3, network_hash = null, site_hash = null
     where kind = 'DeviceCode' and id_hash = $1`,
    [idHash, JSON.stringify(payload), grantId ?? null],
  );
}

/** Marks an artifact as consumed. Returns false if it was already consumed or does not exist. */
export async function consumeArtifact(tx: Transaction, kind: string, idHash: Buffer, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `update oauth_artifact set consumed_at = $3 where kind = $1 and id_hash = $2 and consumed_at is null
     returning kind`,
    [kind, idHash, now],
  );
  return rows.length > 0;
}

export async function deleteArtifact(tx: Transaction, kind: string, idHash: Buffer): Promise<void> {
  await tx.query('delete from oauth_artifact where kind = $1 and id_hash = $2', [kind, idHash]);
}

/**
 * Records a request for the tokens of a device code. Returns false if the interval since the previous request has not
 * passed yet. Such an early request lengthens the interval by 5 seconds (RFC 8628 §3.5).
 */
export async function recordPoll(tx: Transaction, idHash: Buffer, now: Date): Promise<boolean> {
  const [row] = await tx.query<{ early: boolean }>(
    `update oauth_artifact a set polled_at = $2,
       poll_interval_seconds = least(60, a.poll_interval_seconds + case when before.early then 5 else 0 end)
     from (
       select id_hash,
         coalesce(polled_at + make_interval(secs => poll_interval_seconds) > $2::timestamptz, false) as early
       from oauth_artifact where kind = 'DeviceCode' and id_hash = $1 for update
     ) before
     where a.kind = 'DeviceCode' and a.id_hash = before.id_hash returning before.early`,
    [idHash, now],
  );
  return !row?.early;
}

/** Deletes all but the newest `kept` artifacts of a grant and kind. */
export async function deleteSurplusOfGrant(
  tx: Transaction,
  { grantId, kind, kept }: { grantId: string; kind: string; kept: number },
): Promise<void> {
  await tx.query(
    `delete from oauth_artifact where kind = $2 and id_hash in (
       select id_hash from oauth_artifact where grant_id = $1 and kind = $2 order by created_at desc offset $3
     )`,
    [grantId, kind, kept],
  );
}

/** Deletes all but the newest `kept` interactions of a user. */
export async function deleteSurplusOfUser(tx: Transaction, userId: string, kept: number): Promise<void> {
  await tx.query(
    `delete from oauth_artifact where kind = 'Interaction' and id_hash in (
       select id_hash from oauth_artifact where user_id = $1 order by created_at desc offset $2
     )`,
    [userId, kept],
  );
}

/** Returns the number of device codes that have not expired. */
export async function countDeviceCodes(tx: Transaction, now: Date): Promise<number> {
  const [row] = await tx.query<{ codes: number }>(
    'select count(*) as codes from oauth_artifact where user_code_hash is not null and expires_at > $1',
    [now],
  );
  return row?.codes ?? 0;
}

/**
 * Returns how many unexpired device codes of a network and of a site are waiting for their users. Locks the site, or
 * the network if there is no site, until the transaction ends, so that concurrent requests are counted one after the
 * other.
 */
export async function lockWaitingDevices(
  tx: Transaction,
  { networkHash, siteHash, now }: Pick<NewArtifact, 'networkHash' | 'siteHash'> & { now: Date },
): Promise<{ ofNetwork: number; ofSite: number }> {
  const locked = (siteHash ?? networkHash)?.toString('hex');
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`device/${locked}`]);
  const [row] = await tx.query<{ of_network: number; of_site: number }>(
    `select (select count(*) from oauth_artifact where network_hash = $1 and expires_at > $3) as of_network,
       (select count(*) from oauth_artifact where site_hash = $2 and expires_at > $3) as of_site`,
    [networkHash ?? null, siteHash ?? null, now],
  );
  return { ofNetwork: row?.of_network ?? 0, ofSite: row?.of_site ?? 0 };
}

/**
 * Deletes the oldest waiting device code of the network or site with the most waiting codes. Returns whether there was
 * one.
 */
export async function evictWaitingDevice(tx: Transaction, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `delete from oauth_artifact where (kind, id_hash) in (
       select kind, id_hash from oauth_artifact
       where network_hash is not null and expires_at > $1 and coalesce(site_hash, network_hash) = (
         select coalesce(site_hash, network_hash) from oauth_artifact where network_hash is not null and expires_at > $1
         group by 1 order by count(*) desc limit 1)
       order by created_at limit 1 for update skip locked
     ) returning kind`,
    [now],
  );
  return rows.length > 0;
}

/** Deletes up to `limit` artifacts that expired before a time, and returns the number of deleted artifacts. */
export async function deleteExpiredArtifacts(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from oauth_artifact where (kind, id_hash) in (
       select kind, id_hash from oauth_artifact where expires_at < $1 limit $2
     ) returning kind`,
    [before, limit],
  );
  return rows.length;
}

interface CredentialRow
  extends Pick<Tables['oauth_grant'], 'id' | 'client_name' | 'last_used_at' | 'organization_id'>,
    Pick<Tables['organization'], 'account_number' | 'delete_at'>,
    Pick<Tables['app_user'], 'email'>,
    Pick<Tables['membership'], 'role'> {
  readonly payload: string;
  readonly expires_at: Date;
  readonly organization_name: string;
  readonly limits: Record<string, number> | null;
}

/** The grant of an access token, with the role of its user. */
export interface AccessTokenCredential extends Omit<Credential, 'permissions' | 'kind' | 'revokedAt'> {
  /** Permissions of the token. The user's role may allow fewer. */
  readonly scope: string;
  readonly role: string;
}

/**
 * Returns the grant of the access token with this hash; undefined if the token does not exist, its grant was revoked,
 * or its user is no longer a member of the organization.
 */
export async function findAccessToken(tx: Transaction, idHash: Buffer): Promise<AccessTokenCredential | undefined> {
  const [row] = await tx.query<CredentialRow>(
    `select g.id, g.client_name, g.last_used_at, a.payload, least(a.expires_at, g.expires_at) as expires_at, m.role,
            u.email, o.id as organization_id, o.name as organization_name, o.account_number, o.delete_at,
            (select jsonb_object_agg(l.name, l.value) from organization_limit l where l.organization_id = o.id) as limits
     from oauth_artifact a
       join oauth_grant g on g.id = a.grant_id
       join membership m on m.organization_id = g.organization_id and m.user_id = g.user_id
       join app_user u on u.id = g.user_id
       join organization o on o.id = g.organization_id
     where a.kind = 'AccessToken' and a.id_hash = $1 and g.revoked_at is null`,
    [idHash],
  );
  if (!row) return undefined;
  const { scope } = JSON.parse(row.payload) as { scope?: string };
  return {
    id: row.id,
    name: row.client_name,
    scope: scope ?? '',
    role: row.role,
    expiresAt: row.expires_at,
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

function toArtifact(row: ArtifactRow): Artifact {
  return {
    idHash: row.id_hash,
    // The cast is safe, because only saveArtifact() writes this column.
    payload: JSON.parse(row.payload) as Record<string, unknown>,
    expiresAt: row.expires_at,
    consumedAt: row.consumed_at ?? undefined,
    grantId: row.grant_id ?? undefined,
  };
}
