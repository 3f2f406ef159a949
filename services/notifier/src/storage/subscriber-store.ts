import type { Transaction } from '@tocsin/database';
import type { Locale } from '@tocsin/enums';
import type { SubscribedPage } from '../domain/subscriber.ts';
import type { PageNotice } from '../domain/subscriber-emails.ts';
import type { Tables } from './tables.ts';

type PageKey = Pick<SubscribedPage, 'organizationId' | 'id'>;
type PageRow = Pick<Tables['subscribed_page'], 'id' | 'organization_id' | 'name' | 'url'> & { locale: Locale };

interface SubscriberKey {
  readonly organizationId: string;
  readonly id: string;
}

/** Saves a page whose visitors may subscribe, and locks it until the transaction ends. */
export async function saveSubscribedPage(
  tx: Transaction,
  { id, organizationId, name, url, locale }: SubscribedPage,
): Promise<void> {
  await tx.query(
    `insert into subscribed_page (id, organization_id, name, url, locale) values ($1, $2, $3, $4, $5)
     on conflict (organization_id, id) do update set name = excluded.name, url = excluded.url, locale = excluded.locale,
       takes_subscribers = true`,
    [id, organizationId, name, url, locale],
  );
}

/** Records whether visitors may subscribe to a page. Without that, nothing is sent to its subscribers. */
export async function setTakesSubscribers(
  tx: Transaction,
  { organizationId, id }: PageKey,
  takesSubscribers: boolean,
): Promise<void> {
  await tx.query('update subscribed_page set takes_subscribers = $3 where organization_id = $1 and id = $2', [
    organizationId,
    id,
    takesSubscribers,
  ]);
}

/** Deletes a page with its subscribers, its notices and their deliveries. */
export async function deleteSubscribedPage(tx: Transaction, { organizationId, id }: PageKey): Promise<void> {
  await tx.query('delete from subscribed_page where organization_id = $1 and id = $2', [organizationId, id]);
}

export async function findSubscribedPage(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<SubscribedPage | undefined> {
  const rows = await tx.query<PageRow>(
    'select id, organization_id, name, url, locale from subscribed_page where organization_id = $1 and id = $2',
    [organizationId, id],
  );
  return rows.map(toPage)[0];
}

/** Locks a page until the transaction ends. Returns whether it exists. */
export async function lockSubscribedPage(tx: Transaction, organizationId: string, id: string): Promise<boolean> {
  const rows = await tx.query('select from subscribed_page where organization_id = $1 and id = $2 for no key update', [
    organizationId,
    id,
  ]);
  return rows.length > 0;
}

/** Returns the numbers of a page's subscribers. */
export async function countSubscribers(
  tx: Transaction,
  { organizationId, id }: PageKey,
): Promise<{ readonly confirmed: number; readonly pending: number }> {
  const [row] = await tx.query<{ confirmed: number; pending: number }>(
    `select count(*) filter (where status = 'confirmed')::int as confirmed,
       count(*) filter (where status = 'pending')::int as pending
     from subscriber where organization_id = $1 and status_page_id = $2`,
    [organizationId, id],
  );
  return row ?? { confirmed: 0, pending: 0 };
}

/**
 * Saves a new subscriber and schedules a confirmation request. If the address has a subscriber that has not confirmed
 * and was not asked recently, schedules another request to it.
 */
export async function insertSubscriber(
  tx: Transaction,
  { organizationId, id: pageId }: PageKey,
  { id, sealedAddress }: { id: string; sealedAddress: string },
  { now, askAgainAfter, maxAsks }: { now: Date; askAgainAfter: Date; maxAsks: number },
): Promise<void> {
  await tx.query(
    `insert into subscriber as s (id, organization_id, status_page_id, sealed_address, status, ask_at, created_at)
     values ($1, $2, $3, $4, 'pending', $5, $5)
     on conflict (id) do update set ask_at = $5
       where s.status = 'pending' and s.ask_at is null and s.asked < $7 and (s.asked_at is null or s.asked_at <= $6)`,
    [id, organizationId, pageId, sealedAddress, now, askAgainAfter, maxAsks],
  );
}

/** A subscriber with a due confirmation request. */
export interface SubscriberToAsk {
  readonly id: string;
  readonly sealedAddress: string;
  readonly createdAt: Date;
  /** Number of requests so far. */
  readonly asked: number;
  readonly page: SubscribedPage;
}

/**
 * SQL expression for the time at which claimSubscribersToAsk() finds a subscriber. It includes subscribers of pages
 * that take no subscribers.
 */
export const SUBSCRIBER_ASK_DUE = '(select min(ask_at) from subscriber)';

/**
 * Claims subscribers with a due confirmation request. A subscriber can be claimed again at `leasedUntil`, unless
 * settleSubscriberAsk() was called for it. Needs a transaction across organizations.
 */
export async function claimSubscribersToAsk(
  tx: Transaction,
  { now, leasedUntil, limit }: { now: Date; leasedUntil: Date; limit: number },
): Promise<SubscriberToAsk[]> {
  const rows = await tx.query<
    PageRow & Pick<Tables['subscriber'], 'sealed_address' | 'asked' | 'created_at'> & { subscriber_id: string }
  >(
    `with due as (
       select s.id from subscriber s join subscribed_page p on p.organization_id = s.organization_id and p.id = s.status_page_id
       where s.ask_at <= $1 and p.takes_subscribers order by s.ask_at limit $3 for update of s skip locked
     )
     update subscriber s set ask_at = $2 from due, subscribed_page p
     where s.id = due.id and p.organization_id = s.organization_id and p.id = s.status_page_id
     returning s.id as subscriber_id, s.sealed_address, s.asked, s.created_at, p.id, p.organization_id, p.name, p.url, p.locale`,
    [now, leasedUntil, limit],
  );
  return rows.map((row) => ({
    id: row.subscriber_id,
    sealedAddress: row.sealed_address,
    createdAt: row.created_at,
    asked: row.asked,
    page: toPage(row),
  }));
}

/** Records that a subscriber was asked to confirm, or when to try again. */
export async function settleSubscriberAsk(
  tx: Transaction,
  { organizationId, id }: SubscriberKey,
  { askAt, askedAt }: { askAt?: Date; askedAt?: Date },
): Promise<void> {
  await tx.query(
    `update subscriber set ask_at = case when status = 'pending' then $3::timestamptz end,
       asked = asked + case when $4::timestamptz is null then 0 else 1 end, asked_at = coalesce($4, asked_at)
     where organization_id = $1 and id = $2`,
    [organizationId, id, askAt ?? null, askedAt ?? null],
  );
}

/** Confirms a subscriber. Returns whether the subscriber exists. */
export async function confirmSubscriber(
  tx: Transaction,
  { organizationId, id }: SubscriberKey,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `update subscriber set status = 'confirmed', ask_at = null, confirmed_at = coalesce(confirmed_at, $3)
     where organization_id = $1 and id = $2 returning id`,
    [organizationId, id, now],
  );
  return rows.length > 0;
}

/** Whether there is a subscriber, confirmed or not. */
export async function hasSubscriber(tx: Transaction, { organizationId, id }: SubscriberKey): Promise<boolean> {
  const rows = await tx.query('select from subscriber where organization_id = $1 and id = $2', [organizationId, id]);
  return rows.length > 0;
}

/** Deletes a subscriber with the deliveries to it. */
export async function deleteSubscriber(tx: Transaction, { organizationId, id }: SubscriberKey): Promise<void> {
  await tx.query('delete from subscriber where organization_id = $1 and id = $2', [organizationId, id]);
}

/** Deletes the subscribers that have not confirmed since a time. Needs a transaction across organizations. */
export async function deleteUnconfirmed(tx: Transaction, since: Date): Promise<void> {
  await tx.query(
    `delete from subscriber where status = 'pending' and created_at < $1 and coalesce(asked_at, created_at) < $1`,
    [since],
  );
}

/** Locks a subscriber until the transaction ends. Returns whether it exists. */
export async function lockSubscriber(tx: Transaction, organizationId: string, id: string): Promise<boolean> {
  const rows = await tx.query('select from subscriber where organization_id = $1 and id = $2 for no key update', [
    organizationId,
    id,
  ]);
  return rows.length > 0;
}

/** Returns the ids of a page's confirmed subscribers. */
export async function listConfirmedSubscribers(tx: Transaction, { organizationId, id }: PageKey): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['subscriber'], 'id'>>(
    `select id from subscriber where organization_id = $1 and status_page_id = $2 and status = 'confirmed' order by id`,
    [organizationId, id],
  );
  return rows.map((row) => row.id);
}

/** Inserts a notice. Returns false, and does nothing, if the page has a notice about the same timeline entry. */
export async function insertPageNotice(
  tx: Transaction,
  { organizationId, id: pageId }: PageKey,
  { id, updateId, notice, occurredAt }: { id: string; updateId: string; notice: PageNotice; occurredAt: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into page_notice (id, organization_id, status_page_id, update_id, content, occurred_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (organization_id, status_page_id, update_id) do nothing returning id`,
    [id, organizationId, pageId, updateId, JSON.stringify(notice), occurredAt],
  );
  return rows.length > 0;
}

/**
 * Counts emails to the subscribers of an organization's pages on a day. If the limit would be exceeded, returns false
 * and does not count them.
 */
export async function countSubscriberMails(
  tx: Transaction,
  organizationId: string,
  { day, mails, limit }: { day: Date; mails: number; limit: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into subscriber_mail_count as c (organization_id, day, mails) values ($1, $2, $3)
     on conflict (organization_id, day) do update set mails = c.mails + $3 where c.mails + $3 <= $4 returning mails`,
    [organizationId, day, mails, limit],
  );
  return rows.length > 0;
}

/** Deletes the counts of days before a time. Needs a transaction across organizations. */
export async function deleteSubscriberMailCounts(tx: Transaction, before: Date): Promise<void> {
  await tx.query('delete from subscriber_mail_count where day < $1', [before]);
}

function toPage({ id, organization_id: organizationId, name, url, locale }: PageRow): SubscribedPage {
  return { id, organizationId, name, url, locale };
}
