import type { Email } from './email.ts';
import type { SubscribedPage } from './subscriber.ts';
import { subscriberTexts } from './subscriber-texts/texts.ts';

const BLUE = '#2E90FA';

/** What a status page reports, in the page's language. */
export interface PageNotice {
  readonly disruptionId: string;
  readonly subject: string;
  readonly headline: string;
  /** Text without markup; each line is a paragraph. */
  readonly body: string;
  /** Color as `#RRGGBB`. */
  readonly color: string;
  readonly details: readonly { readonly label: string; readonly value: string }[];
  readonly url: string;
}

type Page = Pick<SubscribedPage, 'name' | 'url' | 'locale'>;

/** Returns the email that asks an address whether it wants the updates of a page. It gets no other email before. */
export function subscriberConfirmationEmail(page: Page, link: string): Email {
  const { text, ...language } = subscriberTexts(page);
  const headline = text('confirmSubject');
  return {
    subject: headline,
    headline,
    color: BLUE,
    paragraphs: [text('confirmText'), text('confirmHow')],
    details: [],
    action: { label: text('confirm'), url: link },
    footer: text('confirmFooter'),
    language: { ...language, unsubscribe: text('unsubscribe') },
  };
}

/** Returns the email with which a page informs a subscriber. */
export function pageNoticeEmail(
  page: Page,
  { subject, headline, body, color, details, url }: PageNotice,
  unsubscribeUrl: string,
): Email {
  const { text, ...language } = subscriberTexts(page);
  return {
    subject,
    headline,
    color,
    paragraphs: body.split('\n').filter((line) => line.trim() !== ''),
    details: details.map(({ label, value }) => ({ name: label, value })),
    action: { label: text('open'), url },
    footer: text('footer'),
    unsubscribeUrl,
    language: { ...language, unsubscribe: text('unsubscribe') },
  };
}
