import type { Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import { post } from '../post.ts';
import { judgeApiAnswer } from './slack-answer.ts';
import { checkSlackConfig, readSlackConfig } from './slack-config.ts';
import { slackMessage } from './slack-message.ts';

export interface SlackOptions {
  readonly guard: Netguard;
  /** Reaches the API's address, which the operator chose and no tenant can. */
  readonly apiGuard: Netguard;
  /** Where the API is: `https://slack.com`. */
  readonly apiUrl: string;
}

/** Posts to a Slack channel, by an incoming webhook or as a bot. */
export function slack({ guard, apiGuard, apiUrl }: SlackOptions): ChannelKind {
  const json = { 'content-type': 'application/json; charset=utf-8' };
  return {
    type: 'slack',

    check: (config, errors) => checkSlackConfig(config, { guard, errors }),

    async send(stored, notice) {
      const config = readSlackConfig(stored);
      const message = slackMessage(notice);
      if (config.way === 'webhook')
        return post(guard, { url: config.url, headers: json, body: JSON.stringify(message) });
      const headers = { ...json, authorization: `Bearer ${config.botToken}` };
      const body = JSON.stringify({ channel: config.channelId, ...message });
      return post(apiGuard, { url: `${apiUrl}/api/chat.postMessage`, headers, body }, judgeApiAnswer);
    },
  };
}
