import type { Transaction } from '@tocsin/database';
import { recipientStatuses } from '@tocsin/enums';
import type { MailRecipient } from '../domain/mail-recipient.ts';
import type { Tables } from './tables.ts';

/**
 * Saves new recipients. Schedules confirmation requests to these and to pending recipients that were not asked
 * recently.
 */
export async function askRecipients(
  tx: Transaction,
  organizationId: string,
  recipients: readonly { readonly mark: string; readonly sealedAddress: string }[],
  { now, askAgainAfter, maxAsks }: { now: Date; askAgainAfter: Date; maxAsks: number },
): Promise<void> {
  await tx.query(
    `insert into mail_recipient as r (organization_id, mark, sealed_address, status, ask_at)
     select $1, mark, sealed_address, 'pending', $4
     from unnest($2::text[], $3::text[]) as t(mark, sealed_address) order by mark
     on conflict (organization_id, mark) do update set ask_at = $4
       where r.status = 'pending' and r.ask_at is null and r.asked < $6 and (r.asked_at is null or r.asked_at <= $5)`,
    [
      organizationId,
      recipients.map(({ mark }) => mark),
      recipients.map(({ sealedAddress }) => sealedAddress),
      now,
      askAgainAfter,
      maxAsks,
    ],
  );
}

/** Returns the status and last refusal of recipients, by mark (hashed address). Unknown recipients are absent. */
export async function findRecipients(
  tx: Transaction,
  organizationId: string,
  marks: readonly string[],
): Promise<ReadonlyMap<string, Pick<MailRecipient, 'status' | 'error'>>> {
  const rows = await tx.query<Pick<Tables['mail_recipient'], 'mark' | 'status' | 'refusal'>>(
    'select mark, status, refusal from mail_recipient where organization_id = $1 and mark = any($2::text[])',
    [organizationId, marks],
  );
  return new Map(
    rows.map(({ mark, status, refusal }) => {
      const name = recipientStatuses.names.find((candidate) => candidate === status) ?? 'pending';
      return [mark, { status: name === 'confirmed' && refusal !== null ? 'refused' : name, error: refusal ?? '' }];
    }),
  );
}

/** Sets the status of a recipient and cancels its confirmation request. Returns whether the recipient exists. */
export async function setRecipientStatus(
  tx: Transaction,
  { organizationId, mark }: { organizationId: string; mark: string },
  status: 'confirmed' | 'unsubscribed',
): Promise<boolean> {
  const rows = await tx.query(
    'update mail_recipient set status = $3, ask_at = null where organization_id = $1 and mark = $2 returning mark',
    [organizationId, mark, status],
  );
  return rows.length > 0;
}

/** Records why the mail server refused a recipient. The reason is undefined after the server accepted an email. */
export async function setRefusal(
  tx: Transaction,
  { organizationId, mark }: { organizationId: string; mark: string },
  refusal: string | undefined,
): Promise<void> {
  await tx.query(
    `update mail_recipient set refusal = $3 where organization_id = $1 and mark = $2 and refusal is distinct from $3`,
    [organizationId, mark, refusal ?? null],
  );
}

/** A recipient with a due confirmation request. */
export type RecipientToAsk = Pick<Tables['mail_recipient'], 'organization_id' | 'mark' | 'sealed_address' | 'asked'>;

/**
 * Claims recipients with a due confirmation request. A recipient can be claimed again at `leasedUntil`, unless
 * settleAsk() was called for it.
 */
export async function claimToAsk(
  tx: Transaction,
  { now, leasedUntil, limit }: { now: Date; leasedUntil: Date; limit: number },
): Promise<RecipientToAsk[]> {
  return tx.query<RecipientToAsk>(
    `with due as (
       select organization_id, mark from mail_recipient where ask_at <= $1 order by ask_at limit $3
       for update skip locked
     )
     update mail_recipient r set ask_at = $2 from due
     where r.organization_id = due.organization_id and r.mark = due.mark
     returning r.organization_id, r.mark, r.sealed_address, r.asked`,
    [now, leasedUntil, limit],
  );
}

/** Records that a recipient was asked to confirm, or when to try again. */
export async function settleAsk(
  tx: Transaction,
  { organizationId, mark }: { organizationId: string; mark: string },
  { askAt, askedAt, refusal }: { askAt?: Date; askedAt?: Date; refusal?: string },
): Promise<void> {
  await tx.query(
    `update mail_recipient set ask_at = case when status = 'pending' then $3::timestamptz end,
       asked = asked + case when $4::timestamptz is null then 0 else 1 end, asked_at = coalesce($4, asked_at), refusal = $5
     where organization_id = $1 and mark = $2`,
    [organizationId, mark, askAt ?? null, askedAt ?? null, refusal ?? null],
  );
}

/**
 * Counts an email toward an hourly limit. `counted` names the limit: the mark of a recipient, or a key for several
 * recipients. If the limit is reached, returns false and does not count the email.
 */
export async function countMail(
  tx: Transaction,
  organizationId: string,
  { counted, hour, limit }: { counted: string; hour: Date; limit: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into mail_count as c values ($1, $2, $3, 1)
     on conflict (organization_id, counted, hour) do update set mails = c.mails + 1 where c.mails < $4 returning mails`,
    [organizationId, counted, hour, limit],
  );
  return rows.length > 0;
}

/**
 * Counts a confirmation request to a mailbox on a day, across all organizations. If the limit is reached, returns false
 * and does not count the request.
 */
export async function countRequest(
  tx: Transaction,
  { mailbox, day, limit }: { mailbox: string; day: Date; limit: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into mailbox_request as r values ($1, $2, 1)
     on conflict (mailbox, day) do update set requests = r.requests + 1 where r.requests < $3 returning requests`,
    [mailbox, day, limit],
  );
  return rows.length > 0;
}

/** Reverses the count of a confirmation request that was not sent. */
export async function uncountRequest(tx: Transaction, { mailbox, day }: { mailbox: string; day: Date }): Promise<void> {
  await tx.query(
    'update mailbox_request set requests = requests - 1 where mailbox = $1 and day = $2 and requests > 0',
    [mailbox, day],
  );
}

/** Deletes the counts of emails and requests from before a time. */
export async function deleteMailCounts(tx: Transaction, before: Date): Promise<void> {
  await tx.query('delete from mail_count where hour < $1', [before]);
  await tx.query(`delete from mailbox_request where day < $1::timestamptz - interval '1 day'`, [before]);
}
