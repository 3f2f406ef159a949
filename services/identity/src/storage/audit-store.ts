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
}

export async function insertAudit(tx: Transaction, { details, ...entry }: AuditEntry): Promise<void> {
  await tx.em.insert(AuditEntity, { id: v7(), ...entry, details: JSON.stringify(details) });
}

/** Deletes up to `limit` audit entries before a time, and returns the number of deleted entries. */
export async function deleteAudit(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    'delete from audit_log where id in (select id from audit_log where occurred_at < $1 limit $2) returning id',
    [before, limit],
  );
  return rows.length;
}
