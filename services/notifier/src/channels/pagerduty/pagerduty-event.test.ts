import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { outcomeOfPagerduty } from './pagerduty.ts';
import { pagerdutyEvent } from './pagerduty-event.ts';

const key = '0123456789abcdef0123456789abcdef';
const outageLink = 'https://tocsin.example.com/o/t1';

test('a down alert opens an incident', () => {
  expect(pagerdutyEvent(notices.down, key)).toEqual({
    routing_key: key,
    dedup_key: 'tocsin-outage-o1',
    event_action: 'trigger',
    client: 'Tocsin',
    client_url: outageLink,
    links: [{ href: outageLink, text: 'Details' }],
    payload: {
      summary: 'Shop is down: status 502, expected 200',
      source: 'https://shop.example.com/health_check',
      severity: 'critical',
      timestamp: '2026-11-20T03:00:00.000Z',
      class: 'monitor_down',
      custom_details: {
        Error: 'status 502, expected 200',
        Since: '2026-11-20T03:00:00Z',
        Checks: 'https://shop.example.com/health_check',
      },
    },
  });
});

test('a recovery resolves the incident that has the same key as the down alert', () => {
  expect(pagerdutyEvent(notices.recovered, key)).toEqual({
    routing_key: key,
    dedup_key: 'tocsin-outage-o1',
    event_action: 'resolve',
  });
});

test.each([
  [notices.stale, 'tocsin-stale-m1', 'warning', 'https://shop.example.com/health_check'],
  [notices.certExpiring, 'tocsin-certificate-m1-1795780800-7', 'warning', 'https://shop.example.com/health_check'],
  [notices.test, 'tocsin-test-d1', 'info', 'Test alert'],
])('key and severity of the incident depend on the kind of alert: $kind', (notice, dedupKey, severity, source) => {
  expect(pagerdutyEvent(notice, key)).toMatchObject({
    dedup_key: dedupKey,
    event_action: 'trigger',
    payload: { severity, source },
  });
});

test("the longest texts stay within PagerDuty's limits", () => {
  const event = pagerdutyEvent(longest, key);
  const summary = 'payload' in event ? event.payload.summary : '';
  expect(summary.length).toBe(1024);
  expect(summary).toContain(' is down: <');
  expect(summary.isWellFormed()).toBe(true);
});

test.each([
  [400, '{"errors":["Invalid routing key"]}', 'refused'],
  [400, '{"errors":["Length of \'routing_key\' is incorrect (should be 32 characters)"]}', 'refused'],
  [400, '{"errors":["payload is missing"]}', undefined],
  [202, '{"status":"success"}', undefined],
])('a response with status %i and the body %s has the outcome %s', (status, body, kind) => {
  expect(outcomeOfPagerduty({ status, headers: {}, body, truncated: false })?.kind).toBe(kind);
});
