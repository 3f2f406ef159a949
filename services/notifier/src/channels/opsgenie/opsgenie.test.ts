import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { opsgenieAlert, outcomeOfClose } from './opsgenie.ts';

test('a down alert has the highest priority and the outage key as its alias', () => {
  expect(opsgenieAlert(notices.down)).toEqual({
    message: 'Shop is down',
    alias: 'tocsin-outage-o1',
    description: [
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    priority: 'P1',
    source: 'Tocsin',
    details: {
      Error: 'status 502, expected 200',
      Since: '2026-11-20T03:00:00Z',
      Checks: 'https://shop.example.com/health_check',
    },
  });
});

test.each([
  [notices.stale, 'tocsin-stale-m1', 'Shop has no recent data'],
  [notices.certExpiring, 'tocsin-certificate-m1-1795780800-7', 'Shop has a certificate that expires in 7 days'],
  [notices.test, 'tocsin-test-d1', 'Test alert came through'],
])('an alert of kind $kind has its own alias and a lower priority than a down alert', (notice, alias, message) => {
  expect(opsgenieAlert(notice)).toMatchObject({ alias, message, priority: 'P3' });
});

test('a message has at most 130 characters', () => {
  expect(opsgenieAlert(longest).message.length).toBeLessThanOrEqual(130);
  expect(opsgenieAlert(longest).message).toMatch(/… is down$/);
  expect(opsgenieAlert(longest).description.length).toBeLessThan(15_000);
});

test.each([
  [202, undefined],
  [404, 'delivered'],
  [403, undefined],
])('a response with status %i to a close request has the outcome %s', (status, kind) => {
  expect(outcomeOfClose({ status, headers: {}, body: '', truncated: false })?.kind).toBe(kind);
});
