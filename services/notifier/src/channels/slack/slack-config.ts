import type { FieldErrorCollector } from '@tocsin/errors';
import type { Netguard } from '@tocsin/netguard';
import type { ChannelConfig } from '../../app/ports.ts';
import { checkTargetUrl } from '../check-target-url.ts';

/** The two ways into Slack. */
export type SlackConfig =
  | { readonly way: 'webhook'; readonly url: string }
  | { readonly way: 'api'; readonly botToken: string; readonly channelId: string };

const WEBHOOK_HOST = 'hooks.slack.com';
const MAX_LENGTH = 255;

/** Names everything that is wrong. `webhook_url` alone is enough, and so are `bot_token` and `channel_id` together. */
export async function checkSlackConfig(
  config: ChannelConfig,
  { guard, errors }: { guard: Netguard; errors: FieldErrorCollector },
): Promise<void> {
  const { webhook_url: webhookUrl, bot_token: botToken, channel_id: channelId, channel_name: channelName } = config;
  if (isPresent(webhookUrl)) await checkWebhookUrl(webhookUrl, guard, errors);
  else if (isPresent(botToken) || isPresent(channelId)) {
    checkWord(botToken, 'config.bot_token', errors);
    checkWord(channelId, 'config.channel_id', errors);
  } else errors.add('config.webhook_url', 'is required, unless bot_token and channel_id are given');
  if (isPresent(channelName) && (typeof channelName !== 'string' || [...channelName].length > MAX_LENGTH)) {
    errors.add('config.channel_name', `must be a string of at most ${MAX_LENGTH} characters`);
  }
}

/** A configuration that was checked when it was written. */
export function readSlackConfig(config: ChannelConfig): SlackConfig {
  const { webhook_url: url, bot_token: botToken, channel_id: channelId } = config;
  if (isPresent(url)) return { way: 'webhook', url: String(url) };
  return { way: 'api', botToken: String(botToken), channelId: String(channelId) };
}

async function checkWebhookUrl(value: unknown, guard: Netguard, errors: FieldErrorCollector): Promise<void> {
  const field = 'config.webhook_url';
  const url = await checkTargetUrl(value, { field, guard, errors });
  if (!url || url.hostname === WEBHOOK_HOST) return;
  if (!(await guard.opensHost(url.hostname))) errors.add(field, `must be on ${WEBHOOK_HOST}`);
}

/** A token or an id, which goes into a header or a field as it is. */
function checkWord(value: unknown, field: string, errors: FieldErrorCollector): void {
  if (!isPresent(value)) errors.add(field, 'is required');
  else if (typeof value !== 'string') errors.add(field, 'must be a string');
  else if (!/^[\x21-\x7e]+$/.test(value) || value.length > MAX_LENGTH) {
    errors.add(field, `must be at most ${MAX_LENGTH} visible ASCII characters without spaces`);
  }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
