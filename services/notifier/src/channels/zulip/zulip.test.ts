import { expect, test } from 'vitest';
import { hostile, longest, notices } from '../../../test/notices.ts';
import { outcomeOfZulip, zulipText } from './zulip.ts';

test('a down alert has its details in a code block', () => {
  expect(zulipText(notices.down)).toBe(
    [
      '🔴 [Details](https://tocsin.example.com/o/t1)',
      '```text',
      'Shop is down',
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      '```',
    ].join('\n'),
  );
});

test.each([
  [notices.recovered, '🟢', 'Shop is up again'],
  [notices.stale, '⚪', 'Shop has no recent data'],
  [notices.certExpiring, '🟠', 'Shop has a certificate that expires in 7 days'],
  [notices.test, '🔔', 'Test alert came through'],
])('an alert of kind $kind has its own text', (notice, emoji, headline) => {
  expect(zulipText(notice)).toContain(`${emoji} [Details]`);
  expect(zulipText(notice)).toContain(`\n${headline}\n`);
});

test('text from a tenant can not end the code block', () => {
  const text = zulipText({ ...hostile, error: 'a\n```\n@**all**\n````\n@**all**' });
  expect(text).toContain('\n`````text\n');
  expect(text.endsWith('\n`````')).toBe(true);
  expect(text.match(/^`{5,}/gm)).toHaveLength(2);
});

test('the longest message has fewer than 10,000 characters', () => {
  expect(zulipText({ ...longest, error: '`'.repeat(5_000) }).length).toBeLessThan(10_000);
});

test.each([
  [200, '{"result":"success","id":1}', undefined],
  [200, '{"result":"error"}', 'failed'],
  [200, '<html>', 'failed'],
  [400, '{"result":"error","code":"STREAM_DOES_NOT_EXIST"}', 'refused'],
  [400, '{"result":"error","code":"BAD_REQUEST"}', undefined],
  [429, '{"result":"error","code":"RATE_LIMIT_HIT"}', undefined],
])('a response with status %i and the body %s has the outcome %s', (status, body, kind) => {
  expect(outcomeOfZulip({ status, headers: {}, body, truncated: false })?.kind).toBe(kind);
});
