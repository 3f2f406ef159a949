import { expect, test } from 'vitest';
import { hostile } from '../../test/notices.ts';
import { appriseMessage } from './apprise/apprise.ts';
import { discordMessage } from './discord/discord-message.ts';
import { googleChatMessage } from './google-chat/google-chat.ts';
import { matrixMessage } from './matrix/matrix.ts';
import { mattermostMessage } from './mattermost/mattermost-message.ts';
import { slackMessage } from './slack/slack-message.ts';
import { teamsCard } from './teams/teams-card.ts';
import { telegramMessage } from './telegram/telegram.ts';

/** Returns all strings of a message that its channel may read as markup. */
function markupOf(message: unknown): string {
  if (Array.isArray(message)) return message.map(markupOf).join('\n');
  if (typeof message !== 'object' || message === null) return typeof message === 'string' ? message : '';
  if ('type' in message && message.type === 'plain_text') return '';
  return Object.values(message).map(markupOf).join('\n');
}

/** Removes the fallback text of the attachments, because clients show it as plain text. */
function withoutFallback({ attachments }: ReturnType<typeof mattermostMessage>): object {
  return attachments.map(({ fallback: _, ...shown }) => shown);
}

const messages: readonly [string, object, RegExp][] = [
  ['Slack', slackMessage(hostile), /<!channel>|<@U1>|\*\*bold/],
  ['Telegram', telegramMessage(hostile, '1'), /(?<!\w)[@#/]\w/],
  ['Teams', { ...teamsCard(hostile), summary: '' }, /(?<!\\)\*\*bold|(?<!\\)\[link|(?<!\\)`code/],
  [
    'Mattermost',
    withoutFallback(mattermostMessage(hostile, {})),
    /@(everyone|here|channel)|(?<!\\)\*\*bold|(?<!\\)`code/,
  ],
  ['Google Chat', googleChatMessage(hostile), /<!channel>|<@U1>/],
  ['Apprise', appriseMessage(hostile), /@(everyone|here|U1)/],
  ['Discord', discordMessage(hostile), /(?<!\\)\*\*bold|(?<!\\)\[link|(?<!\\)`code/],
];

test.each(messages)('tenant text never becomes markup or a mention on %s', (name, message, live) => {
  const text = name === 'Slack' ? markupOf((message as ReturnType<typeof slackMessage>).blocks) : markupOf(message);
  // Links to addresses are allowed, so remove them before the check.
  expect(text.replaceAll(/https?:\S+/g, '')).not.toMatch(live);
});

test('Matrix messages contain no mentions', () => {
  expect(matrixMessage(hostile)).toMatchObject({ 'm.mentions': {} });
});

test('Discord messages contain no mentions', () => {
  expect(discordMessage(hostile).allowed_mentions).toEqual({ parse: [] });
});
