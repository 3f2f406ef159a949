import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { AuditEntity } from './schema.ts';

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
