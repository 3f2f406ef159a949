import type { FetchResponse } from '@tocsin/netguard';
import { spellDuration } from '@tocsin/text';
import type { ChannelKind } from '../../app/ports.ts';
import { formatTime, type Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTexts, WORD } from '../config-fields.ts';
import { readJsonResponse } from '../json-response.ts';
import { type PostRequest, post } from '../post.ts';
import type { Provider } from '../provider.ts';
import { receiverOf, refusalBy } from '../refusals.ts';
import { cut, headlineOf } from '../words.ts';
import { REFUSALS } from './sms-refusals.ts';

/** Maximum lengths in characters. Twilio accepts 1600 in total, but short messages are cheaper and easier to read. */
const MAX_HEADLINE = 120;
const MAX_ERROR = 160;
const MAX_TEXT = 1600;
/**
 * Replaces `…`, which is not in GSM 03.38. A character outside of GSM 03.38 more than halves the number of characters
 * that fit into each SMS of the message.
 */
const ELLIPSIS = '...';

const RULES = {
  account_sid: { pattern: /^AC[0-9A-Za-z]{1,62}$/, mustBe: 'an account SID of Twilio, which begins with AC' },
  auth_token: WORD,
  from: {
    pattern: /^(\+[1-9]\d{1,14}|MG[0-9A-Za-z]{32}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
    mustBe: 'a number such as +15551234567, a short code, a sender name, or the SID of a messaging service',
  },
  to: { pattern: /^\+[1-9]\d{1,14}$/, mustBe: 'a number in international form such as +15551234567' },
};

const TWILIO = receiverOf(REFUSALS, outcomeOfTwilio);

/** Sends text messages: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
export function sms({ apiGuard, apiUrl }: Provider): ChannelKind {
  return {
    type: 'sms',

    async check(config, errors) {
      checkTexts(config, RULES, errors);
    },

    send: (config, notice) => post(apiGuard, twilioRequest(apiUrl, config, smsText(notice)), TWILIO),
  };
}

function twilioRequest(apiUrl: string, config: Readonly<Record<string, unknown>>, text: string): PostRequest {
  const { account_sid: sid, auth_token: token } = config;
  const [from, to] = [String(config.from), String(config.to)];
  const sender = /^MG\w{32}$/.test(from) ? 'MessagingServiceSid' : 'From';
  return {
    url: `${apiUrl}/2010-04-01/Accounts/${sid}/Messages.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ To: to, [sender]: from, Body: text }).toString(),
  };
}

/**
 * Returns one or two lines without emoji. An emoji would more than halve the number of characters that fit into each
 * SMS of the message.
 */
export function smsText(notice: Notice): string {
  const { error, at, downtimeMs, outageLink } = notice;
  const duration = downtimeMs === undefined ? '' : ` after ${spellDuration(downtimeMs)}`;
  const reason = error === '' ? '' : `: ${cut(error, MAX_ERROR)}`;
  const headline = notice.changes
    ? headlineOf(notice, MAX_HEADLINE + MAX_ERROR, notice.changes.length)
    : headlineOf(notice, MAX_HEADLINE);
  const line = `${headline}${duration}${reason} (${formatTime(at)})`;
  const text = `${line.replaceAll('…', ELLIPSIS)}\n${outageLink}`;
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - ELLIPSIS.length)}${ELLIPSIS}`;
}

export function outcomeOfTwilio(response: FetchResponse): Outcome | undefined {
  const { status: httpStatus } = response;
  return httpStatus === 400 ? refusalBy(REFUSALS, readJsonResponse(response).code, { httpStatus }) : undefined;
}
