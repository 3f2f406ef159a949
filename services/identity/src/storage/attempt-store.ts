import type { Database, Transaction } from '@tocsin/database';
import type { AttemptKind } from '../domain/attempt-limit.ts';

export interface Attempt {
  readonly kind: AttemptKind;
  /** Hash of the user, email address or network whose attempts are counted. */
  readonly subject: Buffer;
  readonly windowMs: number;
  readonly now: Date;
}

/**
 * Counts an attempt, and returns the number of attempts in the current time window of the limit, including this one.
 */
export async function countAttempt(database: Database, { kind, subject, windowMs, now }: Attempt): Promise<number> {
  const [row] = await database.count<{ attempts: number }>(
    'every organization',
    `insert into attempt_count as c (kind, subject, started_at, attempts) values ($1, $2, $3, 1)
     on conflict (kind, subject) do update set
       attempts = case when c.started_at <= $4 then 1 else c.attempts + 1 end,
       started_at = case when c.started_at <= $4 then $3 else c.started_at end
     returning attempts`,
    [kind, subject, now, new Date(now.getTime() - windowMs)],
  );
  return row?.attempts ?? 0;
}

/** Returns the number of attempts in the current time window of the limit. */
export async function readAttempts(database: Database, { kind, subject, windowMs, now }: Attempt): Promise<number> {
  const [row] = await database.read<{ attempts: number }>(
    'every organization',
    'select attempts from attempt_count where kind = $1 and subject = $2 and started_at > $3',
    [kind, subject, new Date(now.getTime() - windowMs)],
  );
  return row?.attempts ?? 0;
}

/** Deletes up to `limit` counts whose window began before a time, and returns the number of deleted counts. */
export async function deleteOldCounts(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from attempt_count where (kind, subject) in (
       select kind, subject from attempt_count where started_at < $1 limit $2
     ) returning kind`,
    [before, limit],
  );
  return rows.length;
}
