import type { ChannelKind } from '../../app/ports.ts';
import { checkProviderUrl } from '../check-target-url.ts';
import { jsonRequest, post } from '../post.ts';
import { targetOf, type UrlProvider } from '../provider.ts';
import { DELETED_WEBHOOK, NEW_WEBHOOK, type Refusals, receiverOf } from '../refusals.ts';
import { discordMessage } from './discord-message.ts';

/** Hosts of webhook URLs. URLs from Discord's preview clients begin with `ptb.` or `canary.`. */
const HOSTS = ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'];

export const REFUSALS: Refusals = {
  name: 'Discord',
  other: `it refuses this webhook. ${NEW_WEBHOOK}`,
  byCode: {
    401: "the webhook's token is wrong. Copy its URL again and PATCH config.webhook_url",
    404: DELETED_WEBHOOK,
  },
};

const DISCORD = receiverOf(REFUSALS);

/**
 * Posts to a Discord channel through a webhook: https://docs.discord.com/developers/resources/webhook#execute-webhook
 */
export function discord(provider: UrlProvider): ChannelKind {
  const { guard } = provider;
  return {
    type: 'discord',

    async check({ webhook_url: webhookUrl }, errors) {
      const field = 'config.webhook_url';
      const url = await checkProviderUrl(webhookUrl, { hosts: HOSTS, field, guard, errors });
      if (url && !/^\/api(\/v\d+)?\/webhooks\/\d+\/[\w-]+$/.test(url.pathname))
        errors.add(field, 'must be https://discord.com/api/webhooks/{id}/{token}');
    },

    async send(config, notice) {
      const target = targetOf(String(config.webhook_url), HOSTS, provider);
      // Makes Discord respond after it has stored the message, not before.
      target.url.searchParams.set('wait', 'true');
      return post(target.guard, jsonRequest(target.url.href, discordMessage(notice)), DISCORD);
    },
  };
}
