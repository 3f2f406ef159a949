import { expect, test } from 'vitest';
import { outcomeOfSlackApi } from './slack-response.ts';

test.each([
  ['{"ok":true,"ts":"1"}', undefined],
  ['{"ok":false,"error":"invalid_auth"}', 'refused'],
  ['{"ok":false,"error":"account_inactive"}', 'refused'],
  ['{"ok":false,"error":"channel_not_found"}', 'refused'],
  ['{"ok":false,"error":"ratelimited"}', 'failed'],
  ['{"ok":false,"error":"internal_error"}', 'failed'],
  ['{"ok":"true"}', 'failed'],
  ['<html>', 'failed'],
  ['null', 'failed'],
])('a response with the body %s has the outcome %s', (body, kind) => {
  expect(outcomeOfSlackApi({ status: 200, headers: {}, body, truncated: false })?.kind).toBe(kind);
});

test("the error contains Slack's error code but no other text", () => {
  const interpret = (error: string) =>
    outcomeOfSlackApi({ status: 200, headers: {}, body: JSON.stringify({ ok: false, error }), truncated: false });
  expect(interpret('invalid_auth')).toMatchObject({
    error: 'Slack returned invalid_auth: the token is invalid. PATCH config.bot_token',
  });
  expect(interpret('token xoxb-1 is bad')).toMatchObject({ error: 'Slack returned something that is not understood' });
});

test('the outcome of a response other than 200 depends on its status', () => {
  const body = '{"ok":false,"error":"ratelimited"}';
  expect(outcomeOfSlackApi({ status: 429, headers: {}, body, truncated: false })).toBeUndefined();
});
