import { expect, test } from 'vitest';
import type { Notice } from '../../domain/notice.ts';
import { slackMessage } from './slack-message.ts';

const down: Notice = {
  id: 'd1',
  organizationId: 'o9',
  kind: 'monitor_down',
  monitor: { id: 'm1', name: 'Shop', url: 'https://shop.example.com/health?a=1&b=2' },
  monitorLink: 'https://tocsin.example.com/api/v1/monitors/m1',
  outageLink: 'https://tocsin.example.com/o/t1',
  channelName: 'Ops',
  at: new Date('2026-11-20T03:00:00Z'),
  error: 'expected <ok>, got 502',
  downtimeMs: undefined,
};

interface TestBlock {
  readonly text?: { readonly text: string };
  readonly fields?: readonly { readonly text: string }[];
}

const textOf = (notice: Notice) => JSON.stringify(slackMessage(notice).blocks);

test('a down alert contains the monitor, reason, start and regions in this order', () => {
  const message = slackMessage(down);
  expect(message.text).toBe('🔴 Shop is down: expected &lt;ok&gt;, got 502');
  expect(message.blocks[0]).toEqual({
    type: 'header',
    text: { type: 'plain_text', text: '🔴 Shop is down', emoji: false },
  });
  expect(message.blocks[1]).toEqual({
    type: 'section',
    text: { type: 'plain_text', text: 'Error: expected <ok>, got 502', emoji: false },
  });
  expect(textOf(down)).toContain(
    '*Since*\\n<!date^1795143600^{date_short_pretty} at {time_secs}|2026-11-20T03:00:00Z>',
  );
  expect(textOf(down)).toContain('<https://shop.example.com/health?a=1&amp;b=2>');
  expect(textOf(down)).toContain('<https://tocsin.example.com/o/t1|Details>');
});

test('a recovery contains the duration and no error', () => {
  const recovered: Notice = { ...down, kind: 'monitor_recovered', error: '', downtimeMs: 125_000 };
  expect(slackMessage(recovered).text).toBe('🟢 Shop is up again');
  expect(textOf(recovered)).toContain('*Was down for*\\n2 min 5 s');
  expect(textOf(recovered)).not.toContain('Error');
});

test('an alert about a stale monitor does not say that the monitor is up or down', () => {
  expect(slackMessage({ ...down, kind: 'monitor_stale', error: '' }).text).toBe('⚪ Shop has no recent data');
});

test('a certificate alert contains the expiry date', () => {
  const certificate = { expiresAt: new Date('2026-11-27T12:00:00Z'), daysRemaining: 7 };
  const expiring: Notice = { ...down, kind: 'cert_expiring', error: '', certificate };
  expect(slackMessage(expiring).text).toBe('🟠 Shop has a certificate that expires in 7 days');
  expect(textOf(expiring)).toContain('*Certificate expires*\\n<!date^1795780800^');
  expect(textOf(expiring)).not.toContain('*Since*');
});

test('tenant text never becomes markup', () => {
  const hostile = { ...down, monitor: { id: 'm1', name: '<!channel>', url: 'a|b>' }, channelName: '<@U1>' };
  const [, ...rest] = slackMessage(hostile).blocks;
  expect(slackMessage(hostile).text).not.toContain('<!channel>');
  const marked = JSON.stringify(rest).match(/\{"type":"mrkdwn"[^}]*\}/g) ?? [];
  expect(marked.join()).not.toMatch(/<@U1>|b>/);
  const count = (part: RegExp) => JSON.stringify(rest).match(part)?.length;
  expect(count(/"verbatim":true/g)).toBe(count(/"type":"mrkdwn"/g));
});

test("the longest texts stay within Slack's limits and contain the complete state", () => {
  const url = `https://shop.example.com/?${'&'.repeat(3_000)}`;
  const monitor = { id: 'm1', name: '🛒'.repeat(255), url };
  const [header, error, details] = slackMessage({ ...down, error: '<'.repeat(5_000), monitor }).blocks as TestBlock[];
  expect(header?.text?.text.length).toBeLessThanOrEqual(150);
  expect(header?.text?.text).toMatch(/… is down$/);
  expect(header?.text?.text.isWellFormed()).toBe(true);
  expect(error?.text?.text.length).toBeLessThanOrEqual(3_000);
  for (const { text } of details?.fields ?? []) expect(text.length).toBeLessThanOrEqual(2_000);
  expect(details?.fields).toHaveLength(2);
});
