import type { Email } from '../../domain/email.ts';
import type { Notice } from '../../domain/notice.ts';
import { formatTimeForPeople } from '../../domain/owner-emails.ts';
import type { Change } from '../../domain/storm.ts';
import { COLOR, cut, type Detail, detailsOf, EMOJI, headlineOf, lookOf } from '../words.ts';

/**
 * Maximum length of a subject. Longer subjects are hard to read in lists of emails, and RFC 5322 §2.1.1 limits the
 * length of a line.
 */
const MAX_SUBJECT = 120;
const MAX_HEADLINE = 300;
const MAX_VALUE = 2_000;
/** Maximum number of errors in a message about several monitors. Email programs truncate emails of more than 100 KB. */
const MAX_ERRORS = 50;
const MAX_ERROR = 300;

/** Returns an alert as an email to one recipient. */
export function alertEmail(
  notice: Notice,
  { organizationName, unsubscribeUrl }: { organizationName: string | undefined; unsubscribeUrl: string },
): Email {
  const { kind, channelName, outageLink } = notice;
  const isTest = kind === 'test';
  const of = organizationName === undefined ? '' : ` of ${organizationName}`;
  return {
    subject: `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_SUBJECT)}`,
    headline: headlineOf(notice, MAX_HEADLINE),
    color: COLOR[lookOf(notice)],
    paragraphs: isTest ? ['Alerts of monitors that are linked to this channel arrive here like this.'] : [],
    details: [
      ...(organizationName === undefined ? [] : [{ name: 'Organization', value: organizationName }]),
      ...detailsOf(notice, MAX_VALUE, formatTimeForPeople),
      ...errorsOf(notice.changes ?? []),
    ],
    action: { label: 'Details', url: outageLink },
    footer: `You get this mail because you confirmed to get those of the alert channel ${channelName}${of}.`,
    unsubscribeUrl,
  };
}

/**
 * Returns one detail for each changed monitor with an error. If there are more than MAX_ERRORS, the last detail gives
 * the number of omitted monitors.
 */
function errorsOf(changes: readonly Change[]): Detail[] {
  const failed = changes.filter(({ error }) => error !== '');
  const omitted = failed.length - MAX_ERRORS;
  return [
    ...failed.slice(0, MAX_ERRORS).map(({ name, error }) => ({ name, value: cut(error, MAX_ERROR) })),
    ...(omitted > 0 ? [{ name: 'And', value: `${omitted} more on the page` }] : []),
  ];
}
