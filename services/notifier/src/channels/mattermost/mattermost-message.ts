import type { Notice } from '../../domain/notice.ts';
import { COLOR, detailsOf, EMOJI, headlineOf, lookOf, markdownOf } from '../words.ts';

const MAX_HEADLINE = 300;
/** Maximum length of each value. All versions of Mattermost accept attachments of up to 7600 characters in total. */
const MAX_VALUE = 1000;

/** Returns a message with one attachment: https://developers.mattermost.com/integrate/reference/message-attachments */
export function mattermostMessage(notice: Notice, { channel, username }: { channel?: string; username?: string }) {
  const { outageLink } = notice;
  const headline = `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_HEADLINE)}`;
  return {
    ...(channel !== undefined && { channel }),
    ...(username !== undefined && { username }),
    attachments: [
      {
        fallback: withoutMentions(headline),
        color: COLOR[lookOf(notice)],
        title: inert(headline),
        title_link: outageLink,
        fields: detailsOf(notice, MAX_VALUE).map(({ name, value }) => ({
          title: name,
          value: inert(value),
          short: false,
        })),
        footer: 'Tocsin',
      },
    ],
  };
}

function inert(text: string): string {
  const markdown = markdownOf(text);
  const isLink = markdown.startsWith('<');
  return isLink ? markdown.replaceAll('@', '%40') : withoutMentions(markdown);
}

/** Disables mentions in a tenant's text by inserting zero-width spaces. */
function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b');
}
