import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { ntfyMessage } from './ntfy.ts';

test('a down alert has high priority and links to the monitor', () => {
  expect(ntfyMessage(notices.down, 'ops')).toEqual({
    topic: 'ops',
    title: 'Shop is down',
    message: [
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    tags: ['red_circle'],
    priority: 4,
    click: 'https://tocsin.example.com/o/t1',
  });
});

test.each([
  [notices.recovered, 'Shop is up again', 'green_circle'],
  [notices.stale, 'Shop has no recent data', 'white_circle'],
  [notices.certExpiring, 'Shop has a certificate that expires in 7 days', 'orange_circle'],
  [notices.test, 'Test alert came through', 'bell'],
])('an alert of kind $kind has its own text and tag, and the default priority', (notice, title, tag) => {
  expect(ntfyMessage(notice, 'ops')).toMatchObject({ title, tags: [tag], priority: 3 });
});

test('a long message is shortened to less than 4096 bytes, so that ntfy does not send it as an attachment', () => {
  const wide = { ...longest, error: '界'.repeat(5_000), monitor: { ...longest.monitor, url: '界'.repeat(2_000) } };
  expect(Buffer.byteLength(ntfyMessage(wide, 'ops').message)).toBeLessThan(4_096);
  expect(ntfyMessage(wide, 'ops').title.isWellFormed()).toBe(true);
});
