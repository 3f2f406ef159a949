import type { Transaction } from '@tocsin/database';
import { recipientStatuses } from '@tocsin/enums';
import type { MailRecipient } from '../domain/mail-recipient.ts';
import { withOrganizations } from './organizations-with-rows.ts';
import type { Tables } from './tables.ts';

/**
 * Saves new recipients. Schedules confirmation requests to these and to pending recipients that were not asked
 * recently. Returns the number of new recipients.
 */
export async function askRecipients(
  tx: Transaction,
  organizationId: string,
  recipients: readonly { readonly mark: string; readonly sealedAddress: string }[],
  { now, askAgainAfter, maxAsks }: { now: Date; askAgainAfter: Date; maxAsks: number },
): Promise<number> {
  // PostgreSQL sets xmax of a row that `on conflict` updates, and leaves it 0 in a row that is inserted.
  const rows = await tx.query<{ is_new: boolean }>(
    `insert into mail_recipient as r (organization_id, mark, sealed_address, status, ask_at)
     select $1, mark, sealed_address, 'pending', $4
     from unnest($2::text[], $3::text[]) as t(mark, sealed_address) order by mark
     on conflict (organization_id, mark) do update set ask_at = $4
       where r.status = 'pending' and r.ask_at is null and r.asked < $6 and (r.asked_at is null or r.asked_at <= $5)
     returning xmax = 0 as is_new`,
    [
      organizationId,
      recipients.map(({ mark }) => mark),
      recipients.map(({ sealedAddress }) => sealedAddress),
      now,
      askAgainAfter,
      maxAsks,
    ],
  );
  return rows.filter((row) => row.is_new).length;
}

/**
 * Returns the number of an organization's pending recipients, and locks it until the transaction ends, so that
 * concurrent transactions do not exceed a limit together.
 */
export async function lockPendingCount(tx: Transaction, organizationId: string): Promise<number> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`mail_recipient ${organizationId}`]);
  const [row] = await tx.query<{ pending: number }>(
    `select count(*) as pending from mail_recipient where organization_id = $1 and status = 'pending'`,
    [organizationId],
  );
  return row?.pending ?? 0;
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

/** Common table expression with the organizations that have confirmation requests, due or not. */
const WITH_ORGANIZATIONS = withOrganizations('mail_recipient', 'ask_at is not null');

/** SQL expression for the time at which claimToAsk() finds a recipient. */
export const RECIPIENT_ASK_DUE = `(${WITH_ORGANIZATIONS}
  select min((
    select r.ask_at from mail_recipient r where r.organization_id = organization.id and r.ask_at is not null
    order by r.ask_at limit 1
  )) from organization)`;

/**
 * Claims recipients with a due confirmation request, from organizations in turn. A recipient can be claimed again at
 * `leasedUntil`, unless settleAsk() was called for it. Needs a transaction across organizations.
 */
export async function claimToAsk(
  tx: Transaction,
  { now, leasedUntil, limit }: { now: Date; leasedUntil: Date; limit: number },
): Promise<RecipientToAsk[]> {
  return tx.query<RecipientToAsk>(
    `${WITH_ORGANIZATIONS}, candidate as materialized (
       select oldest.* from organization cross join lateral (
         select r.organization_id, r.mark, r.ask_at, row_number() over (order by r.ask_at) as turn from mail_recipient r
         where r.organization_id = organization.id and r.ask_at <= $1 order by r.ask_at limit $3
       ) oldest order by oldest.turn, oldest.ask_at limit $3
     ), due as materialized (
       select r.organization_id, r.mark from mail_recipient r
       join candidate c on c.organization_id = r.organization_id and c.mark = r.mark
       where r.ask_at <= $1 for update of r skip locked
     )
     update mail_recipient r set ask_at = $2 from due
     where r.organization_id = due.organization_id and r.mark = due.mark
     returning r.organization_id, r.mark, r.sealed_address, r.asked`,
    [now, leasedUntil, limit],
  );
}

/** Postpones the confirmation requests of an organization that are due before the given time until that time. */
export async function postponeAsks(tx: Transaction, organizationId: string, until: Date): Promise<void> {
  // Rows that another transaction has locked are being settled or postponed there.
  await tx.query(
    `update mail_recipient set ask_at = $2 where organization_id = $1 and mark in (
       select mark from mail_recipient where organization_id = $1 and ask_at < $2 for update skip locked
     )`,
    [organizationId, until],
  );
}

/** Locks the rows of pending recipients until the transaction ends, and returns their marks. */
export async function lockPending(
  tx: Transaction,
  organizationId: string,
  marks: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['mail_recipient'], 'mark'>>(
    `select mark from mail_recipient where organization_id = $1 and mark = any($2::text[]) and status = 'pending'
     order by mark for update`,
    [organizationId, marks],
  );
  return rows.map(({ mark }) => mark);
}

/**
 * Cancels the confirmation requests to recipients, and deletes those of them that were not asked since a time: no valid
 * link to them exists.
 */
export async function cancelAsks(
  tx: Transaction,
  organizationId: string,
  marks: readonly string[],
  since: Date,
): Promise<void> {
  await tx.query(
    `delete from mail_recipient
     where organization_id = $1 and mark = any($2::text[]) and status = 'pending' and coalesce(asked_at < $3, true)`,
    [organizationId, marks, since],
  );
  await tx.query(
    `update mail_recipient set ask_at = null
     where organization_id = $1 and mark = any($2::text[]) and status = 'pending' and ask_at is not null`,
    [organizationId, marks],
  );
}

/**
 * Returns the marks of the pending recipients that were not asked since a time, by organization. Needs a transaction
 * across organizations.
 */
export async function listLongPending(tx: Transaction, since: Date): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await tx.query<Pick<Tables['mail_recipient'], 'organization_id'> & { marks: string[] }>(
    `select organization_id, array_agg(mark) as marks from mail_recipient
     where status = 'pending' and coalesce(asked_at < $1, true) group by organization_id`,
    [since],
  );
  return new Map(rows.map((row) => [row.organization_id, row.marks]));
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
 * Counts an email to each of the given recipients toward two hourly limits: that of the recipient, and a limit for all
 * emails, which is counted under the key `all`. Returns the recipients that are within both limits. The emails to the
 * others are not counted.
 */
export async function countMails(
  tx: Transaction,
  organizationId: string,
  {
    recipients,
    all,
    hour,
    limits,
  }: {
    recipients: readonly string[];
    all: string;
    hour: Date;
    limits: { readonly perRecipient: number; readonly all: number };
  },
): Promise<string[]> {
  // Lock the count of all emails first. Transactions that count the same recipients then can't deadlock.
  const [total] = await tx.query<Pick<Tables['mail_count'], 'mails'>>(
    `insert into mail_count as c values ($1, $2, $3, 0)
     on conflict (organization_id, counted, hour) do update set mails = c.mails returning mails`,
    [organizationId, all, hour],
  );
  const full = await tx.query<Pick<Tables['mail_count'], 'counted'>>(
    `select counted from mail_count
     where organization_id = $1 and counted = any($2::text[]) and hour = $3 and mails >= $4`,
    [organizationId, recipients, hour, limits.perRecipient],
  );
  const isFull = new Set(full.map(({ counted }) => counted));
  const within = recipients
    .filter((recipient) => !isFull.has(recipient))
    .slice(0, Math.max(0, limits.all - (total?.mails ?? 0)));
  if (within.length === 0) return within;
  await tx.query(
    `insert into mail_count as c select $1, counted, $3, mails from unnest($2::text[], $4::integer[]) as t(counted, mails)
     on conflict (organization_id, counted, hour) do update set mails = c.mails + excluded.mails`,
    [organizationId, [...within, all], hour, [...within.map(() => 1), within.length]],
  );
  return within;
}

/** Reverses the count of emails that the mail server did not accept. See countMails(). */
export async function uncountMails(
  tx: Transaction,
  organizationId: string,
  { recipients, all, hour }: { recipients: readonly string[]; all: string; hour: Date },
): Promise<void> {
  // Lock the rows in the same order as countMails().
  await tx.query(
    'update mail_count set mails = greatest(mails - $4, 0) where organization_id = $1 and counted = $2 and hour = $3',
    [organizationId, all, hour, recipients.length],
  );
  await tx.query(
    `update mail_count set mails = mails - 1
     where organization_id = $1 and counted = any($2::text[]) and hour = $3 and mails > 0`,
    [organizationId, recipients, hour],
  );
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
