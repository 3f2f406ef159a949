import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

export interface Pause {
  readonly recipientId: string;
  readonly organizationId: string;
  readonly until: Date;
}

/**
 * Pauses the recipients that are not paused at `now`, and returns their ids. If several calls for a recipient
 * run at the same time, only one pauses it.
 */
export async function pauseUnlessPaused(tx: Transaction, pauses: readonly Pause[], now: Date): Promise<Set<string>> {
  const sorted = [...pauses].sort((a, b) => (a.recipientId < b.recipientId ? -1 : 1));
  const rows = await tx.query<Pick<Tables['paused_recipient'], 'recipient_id'>>(
    `insert into paused_recipient select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
     on conflict (recipient_id) do update set until = excluded.until where paused_recipient.until <= $4
     returning recipient_id`,
    [
      sorted.map(({ recipientId }) => recipientId),
      sorted.map(({ organizationId }) => organizationId),
      sorted.map(({ until }) => until),
      now,
    ],
  );
  return new Set(rows.map((row) => row.recipient_id));
}

/** Pauses a recipient at least until the given time. */
export async function pauseRecipient(tx: Transaction, { recipientId, organizationId, until }: Pause): Promise<void> {
  await tx.query(
    `insert into paused_recipient values ($1, $2, $3)
     on conflict (recipient_id) do update set until = greatest(paused_recipient.until, excluded.until)`,
    [recipientId, organizationId, until],
  );
}

/** Deletes the pauses that have ended. */
export async function deleteEndedPauses(tx: Transaction, now: Date): Promise<void> {
  await tx.query('delete from paused_recipient where until < $1', [now]);
}
