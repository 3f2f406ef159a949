import type { Notice } from '../../domain/notice.ts';
import { COLOR, cut, detailsOf, EMOJI, escapeMarkdown, headlineOf, lookOf, markdownOf } from '../words.ts';

/**
 * Half of Discord's limits, because escaping at most doubles the length of a string. Discord's limits are 256
 * characters in a title, 1024 in a field, 2048 in a footer and 6000 in total.
 * https://docs.discord.com/developers/resources/message#embed-object-embed-limits
 */
const MAX_TITLE = 128;
const MAX_VALUE = 512;
const MAX_FOOTER = 255;

/** Returns a message with one embed and without mentions. */
export function discordMessage(notice: Notice) {
  const { at, outageLink, channelName } = notice;
  return {
    embeds: [
      {
        title: `${EMOJI[lookOf(notice)]} ${escapeMarkdown(headlineOf(notice, MAX_TITLE - 3))}`,
        url: outageLink,
        color: Number.parseInt(COLOR[lookOf(notice)].slice(1), 16),
        fields: detailsOf(notice, MAX_VALUE).map(({ name, value }) => ({ name, value: markdownOf(value) })),
        footer: { text: `Sent by Tocsin to ${cut(channelName, MAX_FOOTER)}` },
        timestamp: at.toISOString(),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}
