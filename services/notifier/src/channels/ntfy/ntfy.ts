import type { Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { AlertKind } from '../../domain/alert.ts';
import type { Notice } from '../../domain/notice.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { checkTexts, textOf, WORD } from '../config-fields.ts';
import { jsonRequest, post } from '../post.ts';
import { type Refusals, receiverOf } from '../refusals.ts';
import { headlineOf, isDown, linesOf, lookOf } from '../words.ts';

const PUBLIC_SERVER = 'https://ntfy.sh';
const MAX_TITLE = 250;
/**
 * Maximum length of a value in a message, in UTF-16 code units. Each takes at most three bytes. ntfy limits a message
 * to 4096 bytes and turns a longer one into an attachment.
 */
const MAX_VALUE = 500;

const TOPIC = { pattern: /^[-_A-Za-z0-9]{1,64}$/, mustBe: '1 to 64 letters, digits, - or _' };

export const REFUSALS: Refusals = {
  name: 'ntfy',
  other: 'it refuses messages to this topic. PATCH config.topic or config.server_url',
  byCode: {
    401: 'the token is wrong. PATCH config.access_token',
    403: 'the topic is protected. PATCH config.access_token with one that may write to it',
    404: 'there is no ntfy server at this address. PATCH config.server_url',
  },
};

const NTFY = receiverOf(REFUSALS);

/** Emoji that phones show before the title: https://docs.ntfy.sh/emojis */
const TAG: Record<AlertKind, string> = {
  monitor_down: 'red_circle',
  monitor_recovered: 'green_circle',
  monitor_stale: 'white_circle',
  cert_expiring: 'orange_circle',
  test: 'bell',
  incident_closed: 'white_circle',
  channel_broken: 'electric_plug',
  channel_healed: 'green_circle',
  monitors_changed: 'orange_circle',
  monitor_still_down: 'red_circle',
  monitor_flapping: 'orange_circle',
};

/** Publishes to a topic: https://docs.ntfy.sh/publish/#publish-as-json */
export function ntfy({ guard }: { guard: Netguard }): ChannelKind {
  return {
    type: 'ntfy',

    async check(config, errors) {
      const url = textOf(config, 'server_url') === undefined ? PUBLIC_SERVER : config.server_url;
      const server = await checkTargetUrl(url, { field: 'config.server_url', guard, errors });
      // Reject the URL of a topic. If JSON is posted to such a URL, ntfy shows the JSON itself as the message.
      const path = server?.pathname.split('/').filter(Boolean) ?? [];
      if (path.length > 0 && (server?.origin === PUBLIC_SERVER || path.at(-1) === config.topic))
        errors.add('config.server_url', 'must be the address of the server alone; the topic belongs in config.topic');
      checkTexts(config, { topic: TOPIC, access_token: { ...WORD, optional: true } }, errors);
    },

    async send(config, notice) {
      const token = textOf(config, 'access_token');
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const message = ntfyMessage(notice, String(config.topic));
      return post(guard, jsonRequest(textOf(config, 'server_url') ?? PUBLIC_SERVER, message, headers), NTFY);
    },
  };
}

export function ntfyMessage(notice: Notice, topic: string) {
  const { kind, outageLink } = notice;
  return {
    topic,
    title: headlineOf(notice, MAX_TITLE),
    message: linesOf(notice, MAX_VALUE),
    tags: [TAG[lookOf(notice)]],
    // Priority 4 is high, and 3 is the default.
    priority: isDown(kind) ? 4 : 3,
    click: outageLink,
  };
}
