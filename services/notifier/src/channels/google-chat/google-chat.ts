import { html } from '@tocsin/html';
import type { FetchResponse } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkProviderUrl } from '../check-target-url.ts';
import { readJsonResponse } from '../json-response.ts';
import { jsonRequest, post } from '../post.ts';
import { targetOf, type UrlProvider } from '../provider.ts';
import { DELETED_WEBHOOK, NEW_WEBHOOK, type Refusals, receiverOf } from '../refusals.ts';
import { detailsOf, EMOJI, headlineOf, lookOf } from '../words.ts';

const HOSTS = ['chat.googleapis.com'];
const MAX_TITLE = 300;
/**
 * Maximum length of a value. Google Chat limits a message to 32,000 bytes, and an escaped character takes up to six
 * bytes.
 */
const MAX_VALUE = 1000;

export const REFUSALS: Refusals = {
  name: 'Google Chat',
  other: `the space or its webhook was deleted. ${NEW_WEBHOOK}`,
  byCode: {
    401: DELETED_WEBHOOK,
    403: 'apps may not write to the space. Ask its manager, or PATCH config.webhook_url with one of another space',
  },
};

const GOOGLE_CHAT = receiverOf(REFUSALS, outcomeOfGoogleChat);

/** Posts to a space through a webhook: https://developers.google.com/workspace/chat/quickstart/webhooks */
export function googleChat(provider: UrlProvider): ChannelKind {
  const { guard } = provider;
  return {
    type: 'google_chat',

    async check({ webhook_url: webhookUrl }, errors) {
      const field = 'config.webhook_url';
      const url = await checkProviderUrl(webhookUrl, { hosts: HOSTS, field, guard, errors });
      const isWebhook = url && /^\/v1\/spaces\/[\w-]+\/messages$/.test(url.pathname) && url.searchParams.has('token');
      if (url && !isWebhook)
        errors.add(field, 'must be https://chat.googleapis.com/v1/spaces/{space}/messages?key={key}&token={token}');
    },

    async send(config, notice) {
      const target = targetOf(String(config.webhook_url), HOSTS, provider);
      return post(target.guard, jsonRequest(target.url.href, googleChatMessage(notice)), GOOGLE_CHAT);
    },
  };
}

/**
 * Returns a card. Its texts are HTML, in which tenant text is escaped:
 * https://developers.google.com/workspace/chat/format-messages#card-formatting. A plain message is not used, because
 * its markup and mentions can not be escaped.
 */
export function googleChatMessage(notice: Notice) {
  const title = `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_TITLE)}`;
  return {
    // Google Chat shows this plain text in its notifications.
    fallbackText: title,
    cardsV2: [
      {
        cardId: notice.id,
        card: {
          header: { title },
          sections: [
            {
              widgets: [
                ...detailsOf(notice, MAX_VALUE).map(({ name, value }) => ({
                  decoratedText: { topLabel: name, text: html`${value}`.toString(), wrapText: true },
                })),
                { buttonList: { buttons: [{ text: 'Details', onClick: { openLink: { url: notice.outageLink } } }] } },
              ],
            },
          ],
        },
      },
    ],
  };
}

/** Interprets a response from Google Chat. The message was posted only if the body contains the name of a message. */
export function outcomeOfGoogleChat(response: FetchResponse): Outcome | undefined {
  const { status, truncated } = response;
  // A truncated body is not valid JSON. In this case the status decides.
  if (status !== 200 || truncated || typeof readJsonResponse(response).name === 'string') return undefined;
  const error = 'Google Chat responded with 200, but did not create a message';
  return { kind: 'failed', error, httpStatus: status };
}
