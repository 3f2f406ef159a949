import { spellDuration } from '@tocsin/text';
import type { AlertKind } from '../../domain/alert.ts';
import { formatTime, type Notice } from '../../domain/notice.ts';

/** Slack's own limit: https://docs.slack.dev/reference/block-kit/blocks/header-block */
const MAX_HEADER = 150;
/** Escaping makes a text up to five times as long, and Slack takes 3000 characters in a section, 2000 in a field. */
const MAX_ERROR = 500;
const MAX_ADDRESS = 300;

const HEADLINE: Record<AlertKind, { emoji: string; state: string }> = {
  monitor_down: { emoji: '🔴', state: 'is down' },
  monitor_recovered: { emoji: '🟢', state: 'is up again' },
  monitor_stale: { emoji: '⚪', state: 'has no recent data' },
  test: { emoji: '🔔', state: 'came through' },
};

/** A message in Block Kit that says the most important thing first, for somebody who was just woken up. */
export function slackMessage(notice: Notice) {
  const { kind, monitor, monitorLink, channelName, error } = notice;
  const headline = headlineOf(notice);
  return {
    // What a notification shows, and a screen reader reads.
    text: escapeText(error === '' ? headline : `${headline}: ${cut(error, MAX_HEADER)}`),
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headline, emoji: true } },
      ...(error === ''
        ? []
        : [section(`*${kind === 'monitor_down' ? 'Error' : 'Last error'}*\n${escapeText(cut(error, MAX_ERROR))}`)]),
      {
        type: 'section',
        fields: [timeField(notice), ...(monitor.url === '' ? [] : [markdown(`*Checks*\n${linkTo(monitor.url)}`)])],
      },
      {
        type: 'context',
        elements: [
          markdown(`<${monitorLink}|Monitor ${escapeText(monitor.id)}> · sent by Tocsin to ${escapeText(channelName)}`),
        ],
      },
    ],
  };
}

/** The state is never cut off, only a name that is too long. */
function headlineOf({ kind, monitor }: Notice): string {
  const { emoji, state } = HEADLINE[kind];
  const room = MAX_HEADER - emoji.length - state.length - 2;
  return `${emoji} ${cut(monitor.name, room)} ${state}`;
}

function timeField({ at, downtimeMs }: Notice) {
  // Slack shows it in the reader's own time zone; the text behind the bar is for clients that can't.
  const time = `<!date^${Math.floor(at.getTime() / 1000)}^{date_short_pretty} at {time_secs}|${formatTime(at)}>`;
  return markdown(
    downtimeMs === undefined ? `*Since*\n${time}` : `*Was down for*\n${spellDuration(downtimeMs)}, until ${time}`,
  );
}

/** An address as a link, unless it is so long that only a part of it can be shown. */
function linkTo(address: string): string {
  const isLink = /^https?:\/\//.test(address) && address.length <= MAX_ADDRESS;
  return isLink ? `<${escapeText(address).replaceAll('|', '%7C')}>` : escapeText(cut(address, MAX_ADDRESS));
}

function section(text: string) {
  return { type: 'section', text: markdown(text) };
}

function markdown(text: string) {
  return { type: 'mrkdwn', text };
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** At most so many UTF-16 code units, without half characters. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
