import { locales } from '@tocsin/enums';
import { type EventHandler, on } from '@tocsin/outbox';
import { PageNoticePostedSchema, PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { announceToSubscribers } from '../app/announce-to-subscribers.ts';
import { applyPage } from '../app/apply-page.ts';
import type { Deps } from '../app/ports.ts';

/** Mails the subscribers of status pages, and stops or deletes them with their pages. */
export function onPage(deps: Deps): EventHandler[] {
  return [
    on(PageNoticePostedSchema, async (message, { organizationId, occurredAt }, tx) => {
      const { statusPageId: id, pageName: name, pageUrl: url, locale, updateId, ...notice } = message;
      await announceToSubscribers(deps, tx, {
        page: { id, organizationId, name, url, locale: locales.findName(locale) ?? 'en' },
        updateId,
        notice: {
          disruptionId: notice.disruptionId,
          subject: notice.subject,
          headline: notice.headline,
          body: notice.body,
          color: notice.color,
          details: notice.details.map(({ label, value }) => ({ label, value })),
          url: notice.url,
        },
        occurredAt,
      });
    }),
    on(PageUpdatedSchema, async ({ statusPageId: id, deleted, takesSubscribers }, { organizationId }, tx) => {
      await applyPage(tx, { organizationId, id, deleted, takesSubscribers });
    }),
  ];
}
