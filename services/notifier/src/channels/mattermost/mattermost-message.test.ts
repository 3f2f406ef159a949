import { expect, test } from 'vitest';
import { hostile, longest, notices } from '../../../test/notices.ts';
import { outcomeOfMattermost } from './mattermost.ts';
import { mattermostMessage } from './mattermost-message.ts';

test('a down alert uses the configured channel and user name', () => {
  expect(mattermostMessage(notices.down, { channel: 'ops', username: 'Alerts' })).toEqual({
    channel: 'ops',
    username: 'Alerts',
    attachments: [
      {
        fallback: '🔴 Shop is down',
        color: '#D92D20',
        title: '🔴 Shop is down',
        title_link: 'https://tocsin.example.com/o/t1',
        fields: [
          { title: 'Error', value: 'status 502, expected 200', short: false },
          { title: 'Since', value: '2026-11-20T03:00:00Z', short: false },
          { title: 'Checks', value: '<https://shop.example.com/health_check>', short: false },
        ],
        footer: 'Tocsin',
      },
    ],
  });
});

test.each([
  [notices.recovered, '🟢 Shop is up again', '#12B76A'],
  [notices.stale, '⚪ Shop has no recent data', '#98A2B3'],
  [notices.certExpiring, '🟠 Shop has a certificate that expires in 7 days', '#F79009'],
  [notices.test, '🔔 Test alert came through', '#2E90FA'],
])('an alert of kind $kind has its own text and color, and no channel by default', (notice, title, color) => {
  const message = mattermostMessage(notice, {});
  expect(message.attachments).toMatchObject([{ title, color }]);
  expect(Object.keys(message)).toEqual(['attachments']);
});

test('tenant text never becomes markup or a mention', () => {
  const [attachment] = mattermostMessage(hostile, {}).attachments;
  expect(attachment?.title).toBe('🔴 @\u200beveryone \\*\\*bold\\*\\* \\[link\\](https://evil.example) is down');
  expect(attachment?.fallback).toContain('@\u200beveryone');
  expect(attachment?.fields.map(({ value }) => value)).toContain('<https://shop.example.com/%40here>');
});

test('texts of the maximum length stay within the limit of old Mattermost servers', () => {
  const text = JSON.stringify(mattermostMessage(longest, {}).attachments);
  expect(text.length).toBeLessThan(7_600);
  expect(text.isWellFormed()).toBe(true);
});

test.each([
  [400, '{"id":"web.incoming_webhook.invalid.app_error","message":"Invalid webhook"}', 'refused'],
  [400, '{"id":"web.incoming_webhook.text.app_error"}', undefined],
  [400, '<html>', undefined],
  [200, 'ok', undefined],
])('a response with status %i and the body %s has the outcome %s', (status, body, kind) => {
  expect(outcomeOfMattermost({ status, headers: {}, body, truncated: false })?.kind).toBe(kind);
});
