import type { ChannelKind } from '../../app/ports.ts';
import { jsonRequest, post } from '../post.ts';
import type { UrlProvider } from '../provider.ts';
import { receiverOf } from '../refusals.ts';
import { checkSlackConfig, readSlackConfig } from './slack-config.ts';
import { slackMessage } from './slack-message.ts';
import { BOT_REFUSALS, WEBHOOK_REFUSALS } from './slack-refusals.ts';
import { outcomeOfSlackApi, outcomeOfSlackWebhook } from './slack-response.ts';

const WEBHOOK = receiverOf(WEBHOOK_REFUSALS, outcomeOfSlackWebhook);

const API = receiverOf(BOT_REFUSALS, outcomeOfSlackApi);

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
