import { FieldErrorCollector } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { type ChannelLink, checkChannelLinks, mergeChannelLinks } from './channel-links.ts';

const link = (channelId: string, afterMinutes: number, events: string[] = []): ChannelLink => ({
  channelId,
  afterMinutes,
  events,
});

test.each<[string, ChannelLink[], ChannelLink[], ChannelLink[]]>([
  ['links without settings have no entry', [], [], []],
  [
    'new settings are returned in the order of the links',
    [],
    [link('b', 5), link('a', 10)],
    [link('a', 10), link('b', 5)],
  ],
  ['a link without new settings keeps its settings', [link('a', 10)], [link('b', 5)], [link('a', 10), link('b', 5)]],
  [
    'new settings replace all previous settings of a link',
    [link('a', 10, ['monitor_down'])],
    [link('a', 5)],
    [link('a', 5)],
  ],
  ['a link with reset settings has no entry', [link('a', 10)], [link('a', 0)], []],
  ['the settings of a removed link are removed', [link('c', 10)], [], []],
  [
    'an id in capital letters refers to the channel with the same id in lower case',
    [],
    [link('A', 10)],
    [link('a', 10)],
  ],
  [
    'events are returned in the order of the API, without duplicates',
    [],
    [link('a', 0, ['cert_expiring', 'monitor_down', 'monitor_down'])],
    [link('a', 0, ['monitor_down', 'cert_expiring'])],
  ],
])('mergeChannelLinks(): %s', (_, before, changes, merged) => {
  expect(mergeChannelLinks(['a', 'b'], before, changes)).toEqual(merged);
});

test.each<[ChannelLink, string[]]>([
  [link('b', 0), []],
  [link('b', 1_440), []],
  [link('b', -1), ['alert_channel_ids.1.after_minutes']],
  [link('b', 1_441), ['alert_channel_ids.1.after_minutes']],
  [link('b', 1, ['monitor_down', 'monitor_recovered', 'monitor_stale', 'cert_expiring']), []],
  [link('b', 1, ['monitor_down', 'test']), ['alert_channel_ids.1.events.1']],
])('the link %j has errors in the fields %j', (changed, fields) => {
  const errors = new FieldErrorCollector();
  checkChannelLinks(['a', 'b'], [changed], errors);
  const found = (() => {
    try {
      errors.throwIfAny();
      return [];
    } catch (error) {
      return Object.keys((error as { fields: object }).fields);
    }
  })();
  expect(found).toEqual(fields);
});
