import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { telegramMessage } from './telegram.ts';
import { outcomeOfTelegram } from './telegram-response.ts';

test('a down alert is plain text without link previews', () => {
  expect(telegramMessage(notices.down, '-100123')).toEqual({
    chat_id: '-100123',
    text: [
      '🔴 Shop is down',
      '',
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    link_preview_options: { is_disabled: true },
  });
});

test.each([
  [notices.recovered, /^🟢 Shop is up again\n\nWas down for: 2 min 5 s, until /],
  [notices.stale, /^⚪ Shop has no recent data\n\nSince: /],
  [notices.certExpiring, /^🟠 Shop has a certificate that expires in 7 days\n\nCertificate expires: 2026-11-27/],
  [notices.test, /^🔔 Test alert came through\n\nDetails: /],
])('an alert of kind $kind begins with an emoji and a sentence for this kind', (notice, text) => {
  expect(telegramMessage(notice, '1').text).toMatch(text);
});

test("the longest texts stay within Telegram's limit", () => {
  const { text } = telegramMessage(longest, '1');
  expect(text.length).toBeLessThan(4_096);
  expect(text.isWellFormed()).toBe(true);
});

test('a message to a forum topic has a message_thread_id', () => {
  expect(telegramMessage(notices.down, '1', 42)).toMatchObject({ chat_id: '1', message_thread_id: 42 });
});

test.each([
  [200, '{"ok":true}', undefined],
  [200, '{"ok":false}', 'failed'],
  [200, '<html>', 'failed'],
  [400, '{"ok":false,"description":"Bad Request: chat not found"}', 'refused'],
  [400, '{"ok":false,"description":"Bad Request: group chat was upgraded to a supergroup chat"}', 'refused'],
  [400, '{"ok":false,"description":"Bad Request: not enough rights to send text messages to the chat"}', 'refused'],
  [400, '{"ok":false,"description":"Bad Request: message is too long"}', undefined],
  [401, '{"ok":false,"description":"Unauthorized"}', undefined],
  [502, '<html>', undefined],
])('a response with status %i and the body %s has the outcome %s', (status, body, kind) => {
  expect(outcomeOfTelegram({ status, headers: {}, body, truncated: false })?.kind).toBe(kind);
});

test.each([
  ['{"ok":false,"parameters":{"retry_after":35}}', 35_000],
  ['{"ok":false,"parameters":{"retry_after":"soon"}}', 0],
  ['{"ok":false}', 0],
])('after a 429 with the body %s, the delivery is retried after %i ms', (body, retryAfterMs) => {
  const response = { status: 429, headers: {}, body, truncated: false };
  expect(outcomeOfTelegram(response)).toMatchObject({ kind: 'failed', httpStatus: 429, retryAfterMs });
});
