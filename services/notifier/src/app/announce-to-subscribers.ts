import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { MAX_SUBSCRIBER_MAILS_PER_DAY, NOTICE_LIFETIME_MS, type SubscribedPage } from '../domain/subscriber.ts';
import type { PageNotice } from '../domain/subscriber-emails.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import {
  countSubscriberMails,
  insertPageNotice,
  listConfirmedSubscribers,
  saveSubscribedPage,
} from '../storage/subscriber-store.ts';
import { dayOf } from './mail-recipients.ts';
import type { Deps } from './ports.ts';

export interface PostedNotice {
  readonly page: SubscribedPage;
  /** Id of the timeline entry. */
  readonly updateId: string;
  readonly notice: PageNotice;
  readonly occurredAt: Date;
}

/**
 * Inserts one delivery of a notice for each confirmed subscriber of its page. Does nothing if the entry has a notice
 * already, if the notice is outdated, or if the organization would exceed the number of emails that it may send to
 * subscribers in a day.
 */
export async function announceToSubscribers(
  { now, logger }: Pick<Deps, 'now' | 'logger'>,
  tx: Transaction,
  { page, updateId, notice, occurredAt }: PostedNotice,
): Promise<void> {
  const { organizationId } = page;
  const at = now();
  await saveSubscribedPage(tx, page);
  if (at.getTime() - occurredAt.getTime() > NOTICE_LIFETIME_MS) return;
  const pageNoticeId = v7();
  const isNew = await insertPageNotice(tx, page, { id: pageNoticeId, updateId, notice, occurredAt });
  if (!isNew) return;
  const ids = await listConfirmedSubscribers(tx, page);
  if (ids.length === 0) return;
  const count = { day: dayOf(at), mails: ids.length, limit: MAX_SUBSCRIBER_MAILS_PER_DAY };
  if (!(await countSubscriberMails(tx, organizationId, count))) {
    const about = { organization_id: organizationId, status_page_id: page.id, subscribers: ids.length };
    logger.warn(about, 'a notice is not mailed, because the organization has reached its limit of the day');
    return;
  }
  insertDeliveries(
    tx,
    { organizationId, resourceId: notice.disruptionId, now: at },
    ids.map((subscriberId) => ({ id: v7(), pageNoticeId, subscriberId, status: 'pending' })),
  );
}
