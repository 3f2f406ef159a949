import type { FieldErrorCollector } from '@tocsin/errors';
import type { Netguard } from '@tocsin/netguard';
import type { ChannelConfig } from '../../domain/channel-config.ts';
import { checkProviderUrl } from '../check-target-url.ts';
import { checkTexts, isPresent, LABEL, textOf, WORD } from '../config-fields.ts';

/** The two ways into Slack. */
export type SlackConfig =
  | { readonly way: 'webhook'; readonly url: string }
  | { readonly way: 'api'; readonly botToken: string; readonly channelId: string };

/** Names everything that is wrong. `webhook_url` alone is enough, and so are `bot_token` and `channel_id` together. */
export async function checkSlackConfig(
  config: ChannelConfig,
  { guard, errors }: { guard: Netguard; errors: FieldErrorCollector },
): Promise<void> {
  const field = 'config.webhook_url';
  if (isPresent(config.webhook_url)) {
    await checkProviderUrl(config.webhook_url, { hosts: ['hooks.slack.com'], field, guard, errors });
  } else if (isPresent(config.bot_token) || isPresent(config.channel_id)) {
    checkTexts(config, { bot_token: WORD, channel_id: WORD }, errors);
  } else errors.add(field, 'is required, unless bot_token and channel_id are given');
  checkTexts(config, { channel_name: LABEL }, errors);
}

/** A configuration that was checked when it was written. */
export function readSlackConfig(config: ChannelConfig): SlackConfig {
  const url = textOf(config, 'webhook_url');
  if (url !== undefined) return { way: 'webhook', url };
  return { way: 'api', botToken: String(config.bot_token), channelId: String(config.channel_id) };
}
