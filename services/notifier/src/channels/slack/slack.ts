import type { ChannelKind } from '../../app/ports.ts';
import { jsonRequest, post, type Receiver } from '../post.ts';
import type { UrlProvider } from '../provider.ts';
import { checkSlackConfig, readSlackConfig } from './slack-config.ts';
import { slackMessage } from './slack-message.ts';
import { outcomeOfSlackApi, outcomeOfSlackWebhook } from './slack-response.ts';

const WEBHOOK: Receiver = {
  name: 'Slack',
  advice: {
    403: 'the app may not post there any more: create a new webhook and set webhook_url',
    404: 'the webhook was deleted: create a new one and set webhook_url',
    410: 'the channel is archived: create a webhook for another one and set webhook_url',
  },
  interpret: outcomeOfSlackWebhook,
};

const API: Receiver = { name: 'Slack', interpret: outcomeOfSlackApi };

/** Posts to a Slack channel, through an incoming webhook or as a bot. */
export function slack({ guard, apiGuard, apiUrl }: UrlProvider): ChannelKind {
  return {
    type: 'slack',

    check: (config, errors) => checkSlackConfig(config, { guard, errors }),

    async send(stored, notice) {
      const config = readSlackConfig(stored);
      const message = slackMessage(notice);
      if (config.way === 'webhook') return post(guard, jsonRequest(config.url, message), WEBHOOK);
      const body = { channel: config.channelId, ...message };
      const authorization = `Bearer ${config.botToken}`;
      const request = jsonRequest(`${apiUrl}/api/chat.postMessage`, body, { authorization });
      return post(apiGuard, request, API);
    },
  };
}
