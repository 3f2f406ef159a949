import { outgoingEvent } from '@tocsin/outbox';
import { type SubscribeOutcome, SubscriberService } from '@tocsin/proto/notifier/v1/subscriber';
import { PageNoticePostedSchema, PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { Locale } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import type { startMailServer } from './start-mail-server.ts';
import { BASE_URL, type NotifierFixture } from './start-notifier.ts';

type Mails = Awaited<ReturnType<typeof startMailServer>>;

/** Returns an address that no other test uses. */
export const freshAddress = (prefix = '') => `${prefix}${v7()}@example.com`;

/** Returns functions that subscribe to pages of organizations, and publish the events of these pages. */
export function subscriberFixture(fixture: NotifierFixture, mails: Mails) {
  const rpc = createRpcClient(SubscriberService, createTransport({ url: fixture.url, service: 'notifier' }));

  /** Waits until an address has got this number of emails, and returns them. */
  const mailsTo = (address: string, count: number) =>
    eventually(
      () => {
        const found = mails.to(address);
        expect(found).toHaveLength(count);
        return found;
      },
      { timeoutMs: 20_000 },
    );

  /** Returns the path of the last link with a label in an email. */
  function linkIn(text: string | undefined, label: string): string {
    const url = new RegExp(`${label}: (\\S+/m/\\S+)`).exec(text ?? '')?.[1] ?? '';
    expect(url.startsWith(`${BASE_URL}/m/`)).toBe(true);
    return url.slice(BASE_URL.length);
  }

  const open = (path: string) => fetch(`${fixture.url}${path}`);
  const post = (path: string, form: Record<string, string> = {}) =>
    fetch(`${fixture.url}${path}`, { method: 'POST', body: new URLSearchParams(form) });

  function aPage(organizationId: string, locale: Locale = Locale.EN) {
    const id = v7();
    const about = { organizationId, aggregateId: id };
    const page = { statusPageId: id, pageName: 'Acme <i>', pageUrl: 'https://status.example.com', locale };
    return {
      id,
      async subscribe(address: string): Promise<SubscribeOutcome> {
        const as = await fixture.asService('gateway', organizationId);
        return (await rpc.subscribe({ ...page, address }, as)).outcome;
      },
      /** Inserts confirmed subscribers. */
      async confirmed(...addresses: string[]): Promise<void> {
        for (const address of addresses) {
          await this.subscribe(address);
          const [mail] = await mailsTo(address, 1);
          expect((await post(linkIn(mail?.text, 'Confirm'))).status).toBe(200);
        }
      },
      notice: (body: string, changes: { updateId?: string; disruptionId?: string } = {}) =>
        outgoingEvent(
          PageNoticePostedSchema,
          {
            ...page,
            disruptionId: v7(),
            updateId: v7(),
            subject: `Investigating: ${body} · Acme <i>`,
            headline: `Investigating: ${body}`,
            body: `${body}\nWe look into it.`,
            color: '#b91c1c',
            details: [{ label: 'Affected components', value: 'API' }],
            url: 'https://status.example.com/incidents/1',
            ...changes,
          },
          about,
        ),
      updated: (change: { deleted?: boolean; takesSubscribers?: boolean }) =>
        outgoingEvent(PageUpdatedSchema, { statusPageId: id, ...change }, about),
      subscribers: () =>
        fixture.query<{ id: string; status: string }>(
          'select id, status from subscriber where status_page_id = $1 order by id',
          [id],
        ),
      deliveries: () =>
        fixture.query<{ status: string; last_error: string | null }>(
          `select d.status, d.last_error from delivery d join page_notice n on n.id = d.page_notice_id
           where n.status_page_id = $1 order by d.position`,
          [id],
        ),
    };
  }

  return { aPage, mailsTo, linkIn, open, post };
}
