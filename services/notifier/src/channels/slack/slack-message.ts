import { spellDuration } from '@tocsin/text';
import { formatTime, type Notice } from '../../domain/notice.ts';
import { cut, EMOJI, FLAPPING, groupsOf, headlineOf, isDown, limitTextOf, listGroup, lookOf } from '../words.ts';

/** Maximum length of a Slack header, in characters: https://docs.slack.dev/reference/block-kit/blocks/header-block */
const MAX_HEADER = 150;
/**
 * Maximum lengths before escaping, in characters. Slack accepts 3000 characters in a section and 2000 in a field, and
 * escaping makes a string at most five times as long.
 */
const MAX_ERROR = 500;
const MAX_ADDRESS = 300;

/** Returns a message in Block Kit with the most important information first. */
export function slackMessage(notice: Notice) {
  const { kind, monitor, outageLink, channelName, error } = notice;
  const headline = `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_HEADER - 3)}`;
  return {
    // Text for notifications and screen readers.
    text: escapeText(error === '' ? headline : `${headline}: ${cut(error, MAX_HEADER)}`),
    mrkdwn: false,
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headline, emoji: false } },
      ...(error === '' ? [] : [section(`${isDown(kind) ? 'Error' : 'Last error'}: ${cut(error, MAX_ERROR)}`)]),
      ...groupsOf(notice.changes ?? []).map((group) => section(`${group.title}\n${listGroup(group, MAX_ERROR)}`)),
      ...notesOf(notice).map(section),
      {
        type: 'section',
        fields: [timeField(notice), ...(monitor.url === '' ? [] : [markdown(`*Checks*\n${linkTo(monitor.url)}`)])],
      },
      {
        type: 'context',
        elements: [markdown(`<${outageLink}|Details>`), plain(`sent by Tocsin to ${channelName}`)],
      },
    ],
  };
}

/** Returns the notes about why further messages are held back: the monitor is flapping, or a limit is reached. */
function notesOf(notice: Notice): string[] {
  const limit = limitTextOf(notice);
  return [
    ...(notice.kind === 'monitor_flapping' ? [FLAPPING] : []),
    ...(limit === undefined ? [] : [`Limit reached: ${limit}`]),
  ];
}

function timeField({ kind, at, downtimeMs, certificate }: Notice) {
  if (certificate) return markdown(`*Certificate expires*\n${localTime(certificate.expiresAt)}`);
  if (downtimeMs === undefined) return markdown(`*Since*\n${localTime(at)}`);
  if (kind === 'monitor_still_down')
    return markdown(`*Down for*\n${spellDuration(downtimeMs)}, since ${localTime(at)}`);
  return markdown(`*Was down for*\n${spellDuration(downtimeMs)}, until ${localTime(at)}`);
}

/**
 * Formats a time that Slack shows in the reader's time zone. Clients that can not convert the time show the text after
 * the `|`.
 */
function localTime(at: Date): string {
  return `<!date^${Math.floor(at.getTime() / 1000)}^{date_short_pretty} at {time_secs}|${formatTime(at)}>`;
}

/** Renders an address as a link, or as text if it must be truncated. */
function linkTo(address: string): string {
  const isLink = /^https?:\/\//.test(address) && address.length <= MAX_ADDRESS;
  return isLink ? `<${escapeText(address).replaceAll('|', '%7C')}>` : escapeText(cut(address, MAX_ADDRESS));
}

function section(text: string) {
  return { type: 'section', text: plain(text) };
}

function markdown(text: string) {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Returns a tenant's text as a plain text object, in which markup, mentions and emoji codes have no effect. */
function plain(text: string) {
  return { type: 'plain_text', text, emoji: false };
}

/** Escapes control characters: https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
