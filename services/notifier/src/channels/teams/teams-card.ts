import type { AlertKind } from '../../domain/alert.ts';
import type { Notice } from '../../domain/notice.ts';
import { cut, detailsOf, EMOJI, escapeMarkdown, headlineOf, lookOf } from '../words.ts';

/** Limits in characters. Teams accepts messages of up to 28 KB, and counts two bytes for most characters. */
const MAX_HEADLINE = 300;
const MAX_VALUE = 1000;

const COLOR: Record<AlertKind, 'Attention' | 'Good' | 'Warning' | 'Accent' | 'Default'> = {
  monitor_down: 'Attention',
  monitor_recovered: 'Good',
  monitor_stale: 'Default',
  cert_expiring: 'Warning',
  test: 'Accent',
  incident_closed: 'Default',
  channel_broken: 'Warning',
  channel_healed: 'Good',
  monitors_changed: 'Warning',
  monitor_still_down: 'Attention',
  monitor_flapping: 'Warning',
};

/**
 * Returns a message with an Adaptive Card, for Workflows and for the older connectors:
 * https://adaptivecards.io/explorer
 */
export function teamsCard(notice: Notice) {
  const { outageLink, channelName } = notice;
  const headline = `${EMOJI[lookOf(notice)]} ${escapeMarkdown(headlineOf(notice, MAX_HEADLINE))}`;
  const facts = detailsOf(notice, MAX_VALUE).map(({ name, value }) => ({ title: name, value: escapeMarkdown(value) }));
  const footer = `Sent by Tocsin to ${escapeMarkdown(cut(channelName, MAX_HEADLINE))}`;
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: headline, size: 'Large', weight: 'Bolder', color: COLOR[lookOf(notice)], wrap: true },
      ...(facts.length === 0 ? [] : [{ type: 'FactSet', facts }]),
      { type: 'TextBlock', text: footer, size: 'Small', isSubtle: true, wrap: true },
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Details', url: outageLink }],
  };
  return {
    type: 'message',
    // Text for notifications on phones.
    summary: `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_HEADLINE)}`,
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
