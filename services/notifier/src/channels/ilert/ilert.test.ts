import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { ilertEvent } from './ilert.ts';

const links = [{ href: 'https://tocsin.example.com/o/t1', text: 'Details' }];

test('a down alert opens an ilert alert with high priority', () => {
  expect(ilertEvent(notices.down, 'il1api')).toEqual({
    integrationKey: 'il1api',
    eventType: 'ALERT',
    alertKey: 'tocsin-outage-o1',
    summary: 'Shop is down',
    details: [
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    priority: 'HIGH',
    links,
  });
});

test.each([
  [notices.recovered, 'RESOLVE', 'tocsin-outage-o1', 'Shop is up again'],
  [notices.stale, 'ALERT', 'tocsin-stale-m1', 'Shop has no recent data'],
  [
    notices.certExpiring,
    'ALERT',
    'tocsin-certificate-m1-1795780800-7',
    'Shop has a certificate that expires in 7 days',
  ],
  [notices.test, 'ALERT', 'tocsin-test-d1', 'Test alert came through'],
])('an alert of kind $kind has the event type and key of its kind', (notice, eventType, alertKey, summary) => {
  expect(ilertEvent(notice, 'k')).toMatchObject({ eventType, alertKey, summary, priority: 'LOW' });
});

test('a long summary is shortened to at most 255 characters', () => {
  expect(ilertEvent(longest, 'k').summary.length).toBeLessThanOrEqual(255);
  expect(ilertEvent(longest, 'k').summary).toMatch(/… is down$/);
});
