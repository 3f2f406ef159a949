import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { AuditFilter, AuditLogEntry } from '../domain/audit-entry.ts';
import { AuditEntity } from './schema.ts';
import type { Tables } from './tables.ts';

export interface AuditEntry {
  readonly organizationId: string;
  /** Actor, such as `service:admin` or a mail address. */
  readonly actor: string;
  /** Action, such as `api_key.created`. */
  readonly action: string;
  readonly targetId: string;
  /** Further details. These never contain a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly occurredAt: Date;
  /** Address from which the action was requested; undefined if unknown. */
  readonly address?: string | undefined;
  /** Id of the API key, access token or session with which the action was requested; undefined if unknown. */
  readonly credentialId?: string | undefined;
}

export async function insertAudit(tx: Transaction, { details, ...entry }: AuditEntry): Promise<void> {
  const { address = null, credentialId = null } = entry;
  const row = { id: v7(), ...entry, address, credentialId, details: JSON.stringify(details) };
  await tx.em.insert(AuditEntity, row);
}

/** Deletes up to `limit` audit entries before a time, and returns the number of deleted entries. */
export async function deleteAudit(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    'delete from audit_log where id in (select id from audit_log where occurred_at < $1 limit $2) returning id',
    [before, limit],
  );
  return rows.length;
}

/** Returns entries of an organization with ids below `before`, newest first. */
export async function listAudit(
  tx: Transaction,
  organizationId: string,
  { action, actor, since, until, before, limit }: AuditFilter & { before: string | undefined; limit: number },
): Promise<AuditLogEntry[]> {
  const rows = await tx.query<Tables['audit_log']>(
    `select * from audit_log where organization_id = $1
       and ($2::uuid is null or id < $2) and ($3::text is null or action = $3)
       and ($4::text is null or lower(actor) = lower($4))
       and ($5::timestamptz is null or occurred_at >= $5) and ($6::timestamptz is null or occurred_at < $6)
     order by id desc limit $7`,
    [organizationId, before ?? null, action ?? null, actor ?? null, since ?? null, until ?? null, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    occurredAt: row.occurred_at,
    actor: row.actor,
    action: row.action,
    targetId: row.target_id,
    detailsJson: row.details,
    address: row.address ?? undefined,
    credentialId: row.credential_id ?? undefined,
  }));
}
