import type { Email } from '../../domain/email.ts';
import type { Notice } from '../../domain/notice.ts';
import { COLOR, EMOJI, factsOf, headlineOf } from '../words.ts';

/** RFC 5322 §2.1.1 asks for no more in a line, and lists of mails show less. */
const MAX_SUBJECT = 120;
const MAX_HEADLINE = 300;
const MAX_VALUE = 2_000;

/** An alert as a mail. */
export function alertEmail(notice: Notice): Email {
  const { kind, channelName, outageLink } = notice;
  const isTest = kind === 'test';
  return {
    subject: `${EMOJI[kind]} ${headlineOf(notice, MAX_SUBJECT)}`,
    headline: headlineOf(notice, MAX_HEADLINE),
    color: COLOR[kind],
    paragraphs: isTest ? ['Alerts of monitors that are linked to this channel arrive here like this.'] : [],
    facts: [...factsOf(notice, MAX_VALUE), { name: 'Details', value: outageLink }],
    footer: `Sent by Tocsin to the alert channel ${channelName}. Whoever manages it can take you off its recipients.`,
  };
}
