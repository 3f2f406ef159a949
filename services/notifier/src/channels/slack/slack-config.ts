import type { FieldErrorCollector } from '@tocsin/errors';
import type { Netguard } from '@tocsin/netguard';
import type { ChannelConfig } from '../../domain/channel-config.ts';
import { checkProviderUrl } from '../check-target-url.ts';
import { checkTexts, isPresent, LABEL, textOf, WORD } from '../config-fields.ts';

/** Configuration of a webhook or of a bot. */
export type SlackConfig =
  | { readonly way: 'webhook'; readonly url: string }
  | { readonly way: 'api'; readonly botToken: string; readonly channelId: string };

/** Adds an error for each invalid field. Either `webhook_url` is required, or both `bot_token` and `channel_id`. */
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

/** Reads a validated configuration. */
export function readSlackConfig(config: ChannelConfig): SlackConfig {
  const url = textOf(config, 'webhook_url');
  if (url !== undefined) return { way: 'webhook', url };
  return { way: 'api', botToken: String(config.bot_token), channelId: String(config.channel_id) };
}
