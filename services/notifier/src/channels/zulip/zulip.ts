import type { FetchResponse, Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { checkTexts, WORD } from '../config-fields.ts';
import { readJsonResponse } from '../json-response.ts';
import { type PostRequest, post } from '../post.ts';
import { receiverOf, refusalBy } from '../refusals.ts';
import { detailsOf, EMOJI, headlineOf, lookOf } from '../words.ts';
import { REFUSALS } from './zulip-refusals.ts';

/**
 * Limits on the texts of a message. A message has at most 10,000 characters, and a topic at most 60:
 * https://zulip.com/api/send-message
 */
const MAX_HEADLINE = 600;
const MAX_VALUE = 1000;

const NAME = { pattern: /^\P{Cc}{1,60}$/u, mustBe: 'at most 60 characters without line breaks' };
const RULES = { bot_email: WORD, api_key: WORD, stream: NAME, topic: NAME };

const ZULIP = receiverOf(REFUSALS, outcomeOfZulip);

/** Sends to a topic of a channel as a bot: https://zulip.com/api/send-message */
export function zulip({ guard }: { guard: Netguard }): ChannelKind {
  return {
    type: 'zulip',

    async check(config, errors) {
      await checkTargetUrl(config.site_url, { field: 'config.site_url', guard, errors });
      checkTexts(config, RULES, errors);
    },

    send: (config, notice) => post(guard, zulipRequest(config, zulipText(notice)), ZULIP),
  };
}

function zulipRequest(config: Readonly<Record<string, unknown>>, content: string): PostRequest {
  const { site_url: site, bot_email: email, api_key: key, stream, topic } = config;
  return {
    url: `${String(site).replace(/\/+$/, '')}/api/v1/messages`,
    headers: {
      authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ type: 'stream', to: String(stream), topic: String(topic), content }).toString(),
  };
}

/** Returns a message with its tenant text in a code block, because Zulip's Markdown has no escapes. */
export function zulipText(notice: Notice): string {
  const lines = [
    headlineOf(notice, MAX_HEADLINE),
    ...detailsOf(notice, MAX_VALUE).map(({ name, value }) => `${name}: ${value}`),
  ];
  const text = lines.join('\n');
  return `${EMOJI[lookOf(notice)]} [Details](${notice.outageLink})\n${inCodeBlock(text)}`;
}

/** Encloses a text in a code block. The fence is longer than every run of backquotes in the text. */
function inCodeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** Interprets a response from Zulip. Its body says whether the request succeeded. */
export function outcomeOfZulip(response: FetchResponse): Outcome | undefined {
  const { status: httpStatus } = response;
  const { result, code } = readJsonResponse(response);
  const refusal = httpStatus === 400 ? refusalBy(REFUSALS, code, { httpStatus }) : undefined;
  if (refusal) return refusal;
  if (httpStatus !== 200 || result === 'success') return undefined;
  return { kind: 'failed', error: 'Zulip responded with 200, but did not accept the message', httpStatus };
}
