import { type Transaction, violatedConstraint } from '@tocsin/database';
import type { EmailChange } from '../domain/email-change.ts';
import type { Tables } from './tables.ts';

/** Inserts a change that awaits confirmation. Replaces an earlier unconfirmed change of the user. */
export async function saveEmailChange(
  tx: Transaction,
  change: EmailChange & { readonly confirmHash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  const { id, userId, oldEmail, newEmail, confirmHash, createdAt, expiresAt } = change;
  await tx.query('delete from email_change where user_id = $1 and confirmed_at is null', [userId]);
  await tx.query(
    `insert into email_change (id, user_id, old_email, new_email, confirm_hash, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, userId, oldEmail, newEmail, confirmHash, createdAt, expiresAt],
  );
}

/** Returns the change that a link confirms, and locks it; undefined if it is unknown, confirmed or expired. */
export async function lockUnconfirmedChange(
  tx: Transaction,
  confirmHash: Buffer,
  now: Date,
): Promise<EmailChange | undefined> {
  const [row] = await tx.query<Tables['email_change']>(
    'select * from email_change where confirm_hash = $1 and confirmed_at is null and expires_at > $2 for update',
    [confirmHash, now],
  );
  return row && toEmailChange(row);
}

/** Returns the change that a link undoes, and locks it; undefined if it is unknown, undone or expired. */
export async function lockUndoableChange(
  tx: Transaction,
  undoHash: Buffer,
  now: Date,
): Promise<EmailChange | undefined> {
  const [row] = await tx.query<Tables['email_change']>(
    'select * from email_change where undo_hash = $1 and expires_at > $2 for update',
    [undoHash, now],
  );
  return row && toEmailChange(row);
}

export async function recordConfirmation(
  tx: Transaction,
  { id, undoHash, confirmedAt, expiresAt }: { id: string; undoHash: Buffer; confirmedAt: Date; expiresAt: Date },
): Promise<void> {
  await tx.query('update email_change set undo_hash = $2, confirmed_at = $3, expires_at = $4 where id = $1', [
    id,
    undoHash,
    confirmedAt,
    expiresAt,
  ]);
}

/** Deletes a user's address changes that were requested at or after a time. */
export async function deleteEmailChangesSince(tx: Transaction, userId: string, since: Date): Promise<void> {
  await tx.query('delete from email_change where user_id = $1 and created_at >= $2', [userId, since]);
}

/**
 * Changes the mail address of a user, including in the open invitations that the user sent. Returns false if another
 * user has the address.
 */
export async function saveEmail(
  tx: Transaction,
  { userId, from, to }: { userId: string; from: string; to: string },
): Promise<boolean> {
  await tx.query('savepoint email');
  try {
    await tx.query('update app_user set email = $2 where id = $1', [userId, to]);
  } catch (error) {
    if (violatedConstraint(error) !== 'app_user_email') throw error;
    await tx.query('rollback to savepoint email');
    return false;
  }
  await tx.query(
    `update invitation set invited_by = $3 where invited_by = $2
       and organization_id in (select organization_id from membership where user_id = $1)`,
    [userId, from, to],
  );
  return true;
}

/** Deletes up to `limit` changes whose links expired before a time, and returns the number of deleted changes. */
export async function deleteExpiredEmailChanges(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    'delete from email_change where id in (select id from email_change where expires_at < $1 limit $2) returning id',
    [before, limit],
  );
  return rows.length;
}

function toEmailChange(row: Tables['email_change']): EmailChange {
  return {
    id: row.id,
    userId: row.user_id,
    oldEmail: row.old_email,
    newEmail: row.new_email,
    createdAt: row.created_at,
  };
}
