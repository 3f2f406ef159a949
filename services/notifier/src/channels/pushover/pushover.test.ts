import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { outcomeOfPushover, pushoverMessage } from './pushover.ts';

test('a down alert has high priority, which overrides quiet hours', () => {
  expect(pushoverMessage(notices.down)).toEqual({
    title: '🔴 Shop is down',
    message: [
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    timestamp: 1795143600,
    priority: 1,
  });
});

test.each([
  [notices.recovered, '🟢 Shop is up again'],
  [notices.stale, '⚪ Shop has no recent data'],
  [notices.certExpiring, '🟠 Shop has a certificate that expires in 7 days'],
  [notices.test, '🔔 Test alert came through'],
])('an alert of kind $kind has a title for its kind and normal priority', (notice, title) => {
  expect(pushoverMessage(notice)).toMatchObject({ title, priority: 0 });
});

test("the longest texts stay within Pushover's limits", () => {
  const { title, message } = pushoverMessage(longest);
  expect(title.length).toBeLessThanOrEqual(250);
  expect(message.length).toBeLessThanOrEqual(1024);
  expect(`${title}${message}`.isWellFormed()).toBe(true);
});

test.each([
  [
    400,
    '{"token":"invalid","status":0}',
    'Pushover returned 400: it does not know api_token. Copy it again and PATCH config.api_token',
  ],
  [
    400,
    '{"token":"invalid","user":"invalid"}',
    'Pushover returned 400: it does not know api_token and user_key. Copy both again and PATCH the config',
  ],
])('a response with status %i and the body %s has the outcome refused', (status, body, error) => {
  expect(outcomeOfPushover({ status, headers: {}, body, truncated: false })).toMatchObject({ kind: 'refused', error });
});

test.each([
  [400, '{"message":"cannot be blank","status":0}'],
  [429, '{"token":"invalid","errors":["application has exceeded current limit"],"status":0}'],
  [200, '{"status":1}'],
])('the outcome of a response with status %i and the body %s depends only on the status', (status, body) => {
  expect(outcomeOfPushover({ status, headers: {}, body, truncated: false })).toBeUndefined();
});
