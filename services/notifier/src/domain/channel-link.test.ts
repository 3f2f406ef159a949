import { expect, test } from 'vitest';
import type { AlertKind } from './alert.ts';
import { type ChannelLink, routeAlert } from './channel-link.ts';

const links: ChannelLink[] = [
  { channelId: 'plain', afterMinutes: 0, events: undefined },
  { channelId: 'escalation', afterMinutes: 10, events: undefined },
  { channelId: 'outages', afterMinutes: 0, events: ['monitor_down', 'monitor_recovered'] },
  { channelId: 'certificates', afterMinutes: 10, events: ['cert_expiring'] },
];

test.each<[AlertKind, string[], string[], string[]]>([
  ['monitor_down', ['plain', 'outages'], ['escalation'], []],
  ['monitor_stale', ['plain'], ['escalation'], []],
  ['monitor_recovered', ['plain', 'outages'], [], ['escalation']],
  ['cert_expiring', ['plain', 'escalation', 'certificates'], [], []],
])(
  'alert %s is sent to channels %j immediately, to %j after a delay, and to %j only if they got the outage alert',
  (kind, now, later, ifAlerted) => {
    const route = routeAlert(kind, links);
    expect(route.now).toEqual(now);
    expect(route.later.map(({ channelId }) => channelId)).toEqual(later);
    expect(route.ifAlerted).toEqual(ifAlerted);
  },
);
